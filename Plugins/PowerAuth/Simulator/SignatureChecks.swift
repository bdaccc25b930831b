import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What came of a signature.
enum SignatureVerdict {
    enum Check { case right, wrong }

    /// It is right, and the counter has moved.
    case accepted(SignatureHeader)
    /// It is well formed and of an active activation, but wrong.
    case wrong(activation: String)
    /// There is no signature that could be checked.
    case refused
}

/// What a signature has to cover.
struct SignedContent {
    let method: String
    let uriID: String
    let body: Data
}

extension PowerAuthSimulator {
    /// Checks the signature of a request, counts what failed, and moves the counter.
    func check(
        _ incoming: IncomingCall, _ uriID: String, _ types: Set<SignatureType>
    ) -> SignatureVerdict {
        check(
            SignatureHeader(incoming.header(.powerAuthSignature)),
            SignedContent(method: "POST", uriID: uriID, body: incoming.body), types)
    }

    /// Checks a signature over what was found to be signed.
    func check(
        _ header: SignatureHeader?, _ content: SignedContent, _ types: Set<SignatureType>
    ) -> SignatureVerdict {
        guard let header,
            types.contains(header.type), let activation = activations[header.activation],
            activation.state == .active, let keys = activation.keys
        else { return .refused }
        guard let application = application(header.applicationKey),
            application.id == activation.application.id
        else {
            countFailure(of: header.type, by: activation.id)
            return .wrong(activation: activation.id)
        }
        let bytes = Signature.Input(
            method: content.method, uriID: content.uriID, nonce: header.nonce,
            body: content.body, secret: application.secret
        ).bytes
        let factors = header.type.keys(keys)
        let isRight = accept(header.type, by: activation.id) { counter in
            header.isSignature(Signature.components(factors, counter: counter, over: bytes))
        }
        return isRight ? .accepted(header) : .wrong(activation: activation.id)
    }

    /// Looks for the counter's value of a signature, and counts a failure if there is none.
    func accept(
        _ type: SignatureType, by id: String, _ isSignature: (_ counter: Data) -> Bool
    ) -> Bool {
        let lookAhead = configuration.lookAhead
        guard activations[id]?.device?.accept(within: lookAhead, isSignature) == .right else {
            countFailure(of: type, by: id)
            return false
        }
        if type != .possession { activations[id]?.failedAttempts = 0 }
        return true
    }

    /// Counts a wrong signature, unless the device's key alone made it.
    private func countFailure(of type: SignatureType, by id: String) {
        guard type != .possession, let activation = activations[id] else { return }
        let failures = activation.failedAttempts + 1
        activations[id]?.failedAttempts = failures
        guard failures >= configuration.maximumFailedAttempts else { return }
        activations[id]?.blockedReason = "MAX_FAILED_ATTEMPTS"
        change(id, to: .blocked)
    }

    /// A signature that is right, or the one refusal of the standard interface.
    func verified(
        _ incoming: IncomingCall, _ uriID: String, _ types: Set<SignatureType>
    ) throws(Refusal) -> SignatureHeader {
        guard case .accepted(let header) = check(incoming, uriID, types) else {
            throw .authentication
        }
        return header
    }

    /// Answers `/pa/v3/signature/validate`.
    func validateSignature(_ incoming: IncomingCall) throws(Refusal) -> ServerReply {
        _ = try verified(incoming, "/pa/signature/validate", SignatureType.any)
        return .done
    }
}
