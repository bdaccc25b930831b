import HTTPTypes
import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension PowerAuthSimulator {
    /// Answers one of the bank's own endpoints: decrypts first, then verifies what was decrypted.
    func answerResource(_ request: HTTPRequest, _ body: Data) -> ServerReply {
        guard let found = ResourceRequest(request, in: configuration.resources) else {
            return ServerReply(.notFound)
        }
        do throws(Refusal) {
            return try answer(found, body)
        } catch {
            return ServerReply(error)
        }
    }

    /// What the signature of a request to the bank's own endpoints covers; `nil` if there is no such
    /// endpoint, or if the envelope was opened before, as it can't be opened twice.
    func signedContent(of request: HTTPRequest, _ body: Data) -> SignedContent? {
        guard let found = ResourceRequest(request, in: configuration.resources),
            found.resource.encryption == .none
        else { return nil }
        return found.signedContent(body)
    }

    private func answer(
        _ found: ResourceRequest, _ body: Data
    ) throws(Refusal) -> ServerReply {
        let fields = found.request.headerFields
        let header = SignatureHeader(fields[.powerAuthSignature])
        let scope = scope(of: found, header)
        let sharedInfo =
            scope?.activation == nil ? "/pa/generic/application" : "/pa/generic/activation"
        var plain = body
        var opened: OpenedEnvelope?
        if found.resource.encryption != .none {
            // The framework only logs what it couldn't open; the handler sees no encryption.
            guard found.request.method == .post, let scope,
                let envelope = open(
                    try? JSON(parsing: body, limits: JSON.Limits(bytes: body.count)),
                    sharedInfo: sharedInfo, in: scope)
            else { throw .notEncrypted }
            plain = envelope.plain
            opened = envelope
        }
        var activation = scope?.activation?.id
        var type: SignatureType?
        switch found.resource.proof {
        case .none: break
        case .signature(let types):
            guard let content = found.signedContent(plain),
                case .accepted(let header) = check(header, content, types)
            else { throw .authentication }
            (activation, type) = (header.activation, header.type)
        case .token(let types):
            guard let token = token(in: fields[.powerAuthToken]), types.contains(token.type) else {
                throw .authentication
            }
            (activation, type) = (token.activation, token.type)
        }
        resourceCalls.append(
            ResourceCall(
                method: found.request.method, path: found.request.path ?? "", body: plain,
                activation: activation, type: type))
        guard let opened else { return ServerReply(found.resource.answer) }
        return .envelope(try seal(found.resource.answer, to: opened))
    }

    /// Whom an envelope is for: a signature's header says it, else the encryption's own.
    private func scope(
        of found: ResourceRequest, _ signature: SignatureHeader?
    ) -> ECIESScope? {
        let isBound = found.resource.encryption == .activation
        guard found.resource.encryption != .none else { return nil }
        if let signature {
            guard let scope = scope(of: signature) else { return nil }
            return isBound
                ? scope
                : ECIESScope(
                    version: scope.version, application: scope.application, activation: nil)
        }
        guard let header = CallHeader(found.request.headerFields[.powerAuthEncryption]),
            let version = header.version("version"),
            let application = application(header["application_key"])
        else { return nil }
        guard isBound else {
            return ECIESScope(version: version, application: application, activation: nil)
        }
        return activationScope(found.request.headerFields[.powerAuthEncryption])
    }
}
