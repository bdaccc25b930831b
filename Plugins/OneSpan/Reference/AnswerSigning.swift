import Crypto
import PushCore
import PushOneSpan

/// What a remote answer says, and what of it is proved.
struct RemoteAnswer: Sendable {
    let work: RemoteWork
    let asked: RemoteWork.Asked

    /// Rejecting has ``AuthenticationMethod/none``.
    let method: AuthenticationMethod
    let flow: [UInt8]
    let counter: UInt64

    private var decision: UInt8 { work.isApproved == true ? 1 : 0 }

    /// What the response and the signature cover.
    var signedBytes: [UInt8] {
        Array("OOC1 answer".utf8) + [0] + work.deviceID + flow + [work.isTransaction ? 2 : 1]
            + UInt16(truncatingIfNeeded: work.requestID.utf8.count).bigEndianBytes
            + work.requestID.utf8 + asked.challenge + [decision, method.rawValue] + asked.digest
            + counter.bigEndianBytes
    }

    /// The body of 23 or 33.
    ///
    /// - Parameters:
    ///   - instanceKey: The method's key; `nil` when rejecting.
    ///   - signingKey: The device's key.
    func body(
        instanceKey: Secret?, signingKey: P256.Signing.PrivateKey
    ) throws(OrchestrationError) -> Secret {
        let signed = signedBytes
        var body = BodyWriter()
        body.add(.requestID, work.requestID.utf8)
        body.add(.challenge, asked.challenge)
        body.add(.decision, [decision])
        body.add(.methodUsed, [method.rawValue])
        body.add(.displayDigest, asked.digest)
        if let instanceKey { body.add(.authResponse, instanceKey.code(for: signed)) }
        body.add(.deviceSignature, try signingKey.signed(signed))
        return body.body
    }
}

extension P256.Signing.PrivateKey {
    /// ECDSA with SHA-256: r and s, 64 bytes.
    func signed(_ message: [UInt8]) throws(OrchestrationError) -> [UInt8] {
        guard let signature = try? signature(for: message) else {
            throw OrchestrationError(.invalidArgument, "The device's key doesn't sign.")
        }
        return Array(signature.rawRepresentation)
    }
}

/// The device's instance keys: one for each way to authenticate.
struct InstanceKeys: Sendable {
    let none: Secret
    let password: Secret
    let biometric: Secret?

    /// The value of `instanceKeys`.
    var value: Secret {
        var parts = [Secret([biometric == nil ? 2 : 3, 0]), none, Secret([1]), password]
        if let biometric { parts += [Secret([2]), biometric] }
        return Secret(joining: parts)
    }

    /// The proof that an instance key arrived.
    static func confirmation(
        _ key: Secret, _ method: AuthenticationMethod, deviceID: [UInt8], challenge: [UInt8]
    ) -> Secret {
        key.code(
            for: Array("OOC1 confirm".utf8) + [0] + deviceID + [method.rawValue] + challenge)
    }

    /// The proof of the old password that a change carries.
    static func changeProof(
        _ key: Secret, deviceID: [UInt8], nonce: [UInt8], counter: UInt64, newKey: Secret
    ) -> Secret {
        let head = Array("OOC1 chpw".utf8) + [0] + deviceID + nonce + counter.bigEndianBytes
        return Secret(joining: [Secret(head), newKey]).withBytes { key.code(for: $0) }
    }
}
