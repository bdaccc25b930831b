import Crypto
import PushCore
import PushJOSE
import PushXignIn

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// An approval: an assertion of exactly what the user saw, and the factors, each bound to it.
struct AssertedAnswer {
    private let approval: XignInDecision.Approval
    private let process: Challenge.ID
    private let channel: OpenReferenceChannel

    init(
        _ approval: XignInDecision.Approval, _ process: Challenge.ID,
        _ channel: OpenReferenceChannel
    ) {
        self.approval = approval
        self.process = process
        self.channel = channel
    }

    private var record: ActivationRecord { channel.record }

    /// Signs the answer. The part that may be kept holds no proof of the PIN: a thief of the store has
    /// the salt, too, and could test PINs against such a proof.
    func signed() async throws(PushError) -> XignInAnswer {
        let challenge = try ProcessContext(reading: approval.request.context).challenge
        let now = await channel.serverTime()
        let assertion = try assertion(challenge, now)
        let hash = Base64.encode(Data(SHA256.hash(data: Data(assertion.utf8))), as: .url)
        var factors: [JSON] = []
        if let secret = approval.biometry {
            factors.append([
                "type": "biometric",
                "assertion": .string(try biometricAssertion(hash, now, secret)),
            ])
        }
        let kept = Self.body(assertion, factors)
        guard let pin = approval.pin else {
            return XignInAnswer(whole: kept.sealed, kept: kept.sealed)
        }
        factors.append([
            "type": "pin", "proof": .string(try await proof(of: pin, challenge, hash)),
        ])
        return XignInAnswer(whole: Self.body(assertion, factors).sealed, kept: kept.sealed)
    }

    private static func body(_ assertion: String, _ factors: [JSON]) -> AnswerBody {
        AnswerBody(
            call: .finish, body: ["assertion": .string(assertion), "factors": .array(factors)])
    }

    private func assertion(_ challenge: String, _ now: Date) throws(PushError) -> String {
        let request = approval.request
        let claims: JSON = [
            "iss": .string(channel.issuer), "aud": .string(record.idm),
            "jti": .string(channel.access.environment.random.token()), "iat": .seconds(now),
            "exp": .seconds(request.expiresAt), "pid": .string(process.name),
            "svc": .string(request.serviceInformation.id), "challenge": .string(challenge),
            "role": .string(approval.role.id), "decision": "approve",
            "attrs": .array(approval.attributes.map(JSON.string)),
            "tx": request.transaction.map { .string(TransactionText.hash(of: $0)) } ?? .null,
        ]
        return try record.deviceKey.compactJWS(
            of: claims.data,
            header: [
                "alg": "ES256", "typ": "oxrw-asr+jwt",
                "kid": .string(try record.deviceKey.publicKey.thumbprint),
            ])
    }

    /// The signature of the key that only biometry unlocks, over this very assertion.
    private func biometricAssertion(
        _ assertion: String, _ now: Date, _ secret: Secret
    ) throws(PushError) -> String {
        guard let name = record.biometry else {
            throw PushError(.verificationFailed, "There is no key that biometry unlocks.")
        }
        let key = try ES256PrivateKey.biometric(secret, beside: record.deviceKey)
        guard try key.publicKey.thumbprint == name else {
            throw PushError(
                .guardLost, "Biometry unlocks another secret than the activation was made with.")
        }
        let claims: JSON = ["asr": .string(assertion), "iat": .seconds(now)]
        return try key.compactJWS(
            of: claims.data,
            header: ["alg": "ES256", "typ": "oxrw-bio+jwt", "kid": .string(name)])
    }

    private func proof(
        of pin: Secret, _ challenge: String, _ assertion: String
    ) async throws(PushError) -> String {
        guard let parameters = record.pin else {
            throw PushError(.verificationFailed, "The activation has no PIN.")
        }
        let key = await parameters.key(for: pin)
        let text = "OXRW1-PIN\n\(process.name)\n\(challenge)\n\(assertion)"
        let code = key.withBytes {
            HMAC<SHA256>.authenticationCode(
                for: Data(text.utf8), using: SymmetricKey(data: $0))
        }
        return Base64.encode(Data(code), as: .url)
    }
}

extension JSON {
    /// A moment in whole seconds since 1970.
    fileprivate static func seconds(_ date: Date) -> JSON {
        .number(Number(Int64(date.timeIntervalSince1970.rounded(.down))))
    }
}

extension RandomSource {
    /// A name with 128 random bits.
    func token() -> String {
        bytes(16).withBytes { Base64.encode(Data($0), as: .url) }
    }
}
