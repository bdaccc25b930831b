import Crypto
import PushCore
import PushJOSE
import PushTesting

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A key that envelopes are encrypted to for a short time.
struct TemporaryKey: Sendable {
    let key: P256.KeyAgreement.PrivateKey
    let application: String
    /// The activation whose scope it is; `nil` for the application's.
    let activation: String?
    /// When it is over, in milliseconds.
    let expiry: Int64
}

extension CompactToken {
    func isMade(by key: Data) -> Bool {
        guard algorithm == "HS256", let signature else { return false }
        return KeySchedule.mac(key, signed).isEqualInConstantTime(to: signature)
    }
}

extension PowerAuthSimulator {
    /// Answers `/pa/v3/keystore/create`: any failure looks like any other.
    func createTemporaryKey(_ incoming: IncomingCall) throws(Refusal) -> ServerReply {
        guard let token = incoming.object?["jwt"]?.string.flatMap(CompactToken.init),
            let application = application(token.claims["applicationKey"]?.string),
            let challenge = token.claims["challenge"]?.string, !challenge.isEmpty
        else { throw .temporaryKey }
        let (macKey, signer) = try keys(of: token, in: application)
        guard token.isMade(by: macKey) else { throw .temporaryKey }
        let activation = token.claims["activationId"]?.string
        let id = configuration.random.identifier()
        let now = configuration.now
        let made = TemporaryKey(
            key: configuration.random.key(), application: application.key, activation: activation,
            expiry: now + configuration.temporaryKeyLifetime.inMilliseconds)
        temporaryKeys[id] = made
        var claims: JSON.Object = [
            "sub": .string(id), "applicationKey": .string(application.key),
        ]
        claims["activationId"] = activation.map { .string($0) }
        claims["challenge"] = .string(challenge)
        claims["publicKey"] = .string(made.key.publicKey.x963Representation.base64)
        claims["iat"] = JSON(now / 1000)
        claims["exp"] = JSON(made.expiry / 1000)
        claims["iat_ms"] = JSON(now)
        claims["exp_ms"] = JSON(made.expiry)
        return .object(["jwt": .string(text(claims, by: signer, spoiledBy: incoming.fault))])
    }

    /// The keys that a request for a temporary key is made with, and its answer.
    private func keys(
        of token: CompactToken, in application: Application
    ) throws(Refusal) -> (mac: Data, signer: P256.KeyAgreement.PrivateKey) {
        guard let named = token.claims["activationId"] else {
            return (application.secretBytes, application.masterKey)
        }
        guard let id = named.string, let activation = activations[id],
            activation.application.id == application.id, let keys = activation.keys,
            activation.state == .active || activation.state == .blocked
        else { throw .temporaryKey }
        let mac = KeySchedule.deriveInternal(keys.transport, application.secretBytes)
        return (mac, activation.serverKey)
    }

    private func text(
        _ claims: JSON.Object, by key: P256.KeyAgreement.PrivateKey, spoiledBy fault: BadAnswer?
    ) -> String {
        var claims = claims
        var key = key
        switch fault {
        case .replaced(let member, let value): claims[member] = value
        case .wrongKey: key = configuration.random.key()
        case .unsigned: return CompactToken.text(of: claims, algorithm: "none") { _ in nil }
        default: break
        }
        return CompactToken.text(of: claims, algorithm: "ES256") { signed in
            var signature = key.rawSignature(over: signed)
            if fault == .tampered { signature?[63] ^= 1 }
            return signature
        }
    }

    /// An application that the server takes, by its key.
    func application(_ key: String?) -> Application? {
        configuration.applications.first { $0.key == key && $0.isSupported }
    }
}
