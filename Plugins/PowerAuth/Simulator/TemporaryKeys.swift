import Crypto
import PushCore
import PushJOSE

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

/// A compact JWS as the temporary keys' calls have it. Its parts are kept apart from any key.
struct CompactToken {
    let header: JSON.Object
    let claims: JSON.Object
    private let signed: Data
    private let signature: Data

    init?(_ text: String?) {
        guard let text else { return nil }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Self.object(parts[0]),
            let claims = Self.object(parts[1]),
            let signature = try? Base64.data(from: parts[2], as: .url)
        else { return nil }
        self.header = header
        self.claims = claims
        self.signature = signature
        signed = Data("\(parts[0]).\(parts[1])".utf8)
    }

    private static func object(_ part: Substring) -> JSON.Object? {
        guard let bytes = try? Base64.data(from: part, as: .url) else { return nil }
        return try? JSON(parsing: bytes).object
    }

    func isMade(by key: Data) -> Bool {
        header["alg"]?.string == "HS256"
            && KeySchedule.mac(key, signed).isEqualInConstantTime(to: signature)
    }

    /// Writes a token; a signature of `nil` stays empty.
    static func text(
        _ claims: JSON.Object, algorithm: String, signature: (Data) -> Data?
    ) -> String {
        let header: JSON = ["alg": .string(algorithm), "typ": "JWT"]
        let signed =
            Base64.encode(header.data, as: .url) + "."
            + Base64.encode(JSON.object(claims).data, as: .url)
        let made = signature(Data(signed.utf8)) ?? Data()
        return signed + "." + Base64.encode(made, as: .url)
    }
}

extension PowerAuthSimulator {
    /// Answers `/pa/v3/keystore/create`: any failure looks like any other.
    func createTemporaryKey(_ incoming: IncomingCall) throws(Refusal) -> ServerReply {
        guard let token = CompactToken(incoming.object?["jwt"]?.string),
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
        case .unsigned: return CompactToken.text(claims, algorithm: "none") { _ in nil }
        default: break
        }
        return CompactToken.text(claims, algorithm: "ES256") { signed in
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
