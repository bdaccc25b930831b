import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What the server has on an activation beside its keys.
extension PowerAuthSimulator {
    /// Answers `/pa/v3/activation/detail`: a token of two factors, and encryption with a header of its
    /// own.
    func tellDetail(_ incoming: IncomingCall) throws(Refusal) -> ServerReply {
        guard let scope = activationScope(incoming.header(.powerAuthEncryption)),
            let id = scope.activation?.id,
            let opened = open(incoming.json, sharedInfo: "/pa/generic/activation", in: scope),
            opened.plain.isEmpty || (try? JSON(parsing: opened.plain))?.object?.isEmpty == true
        else { throw .encryption }
        guard let token = token(in: incoming.header(.powerAuthToken)),
            BankResource.usualTypes.contains(token.type), token.activation == id
        else { throw .authentication }
        return try detail(of: id, to: opened, incoming.fault)
    }

    /// Answers `/pa/v3/activation/rename`: signed with two factors, then encrypted.
    func renameActivation(_ incoming: IncomingCall) throws(Refusal) -> ServerReply {
        guard let header = SignatureHeader(incoming.header(.powerAuthSignature)) else {
            throw .authentication
        }
        guard let scope = scope(of: header),
            let opened = open(incoming.json, sharedInfo: "/pa/generic/activation", in: scope)
        else { throw .encryption }
        let content = SignedContent(
            method: "POST", uriID: "/pa/activation/rename", body: opened.plain)
        guard case .accepted = check(header, content, BankResource.usualTypes) else {
            throw .authentication
        }
        let asked = (try? JSON(parsing: opened.plain))?.object
        guard let asked, asked.hasOnly(["activationName"]),
            let name = asked["activationName"]?.string, !name.isEmpty
        else { throw .activation }
        activations[header.activation]?.device?.name = name
        return try detail(of: header.activation, to: opened, incoming.fault)
    }

    private func detail(
        of id: String, to opened: OpenedEnvelope, _ fault: BadAnswer?
    ) throws(Refusal) -> ServerReply {
        var told: JSON.Object = [
            "activationId": .string(id),
            "activationName": .string(activations[id]?.device?.name ?? ""),
        ]
        if case .replaced(let member, let value) = fault { told[member] = value }
        let answer: JSON = ["status": "OK", "responseObject": .object(told)]
        return .envelope(try seal(answer, to: opened, spoiledBy: fault?.unlessReplaced))
    }

    /// Answers `/pa/v3/user/info`: bare claims, to whoever can seal for an active activation.
    func tellUser(_ incoming: IncomingCall) throws(Refusal) -> ServerReply {
        guard let scope = activationScope(incoming.header(.powerAuthEncryption)),
            let id = scope.activation?.id, let user = activations[id]?.user,
            let opened = open(incoming.json, sharedInfo: "/pa/generic/activation", in: scope)
        else { throw .encryption }
        guard (try? JSON(parsing: opened.plain))?.object?.isEmpty == true else { throw .userInfo }
        let claims = JSON.object(configuration.userInfo[user] ?? [:])
        return .envelope(try seal(claims, to: opened, spoiledBy: incoming.fault))
    }

    /// Whom an envelope of an activation is for, by the header of the encryption.
    func activationScope(_ text: String?) -> ECIESScope? {
        guard let header = CallHeader(text), let version = header.version("version"),
            let application = application(header["application_key"]),
            let id = header.uuid("activation_id"), let activation = activations[id],
            activation.state == .active, activation.application.id == application.id,
            let keys = activation.keys
        else { return nil }
        return ECIESScope(
            version: version, application: application, activation: (id, keys.transport))
    }
}
