public import Crypto
public import PushCore
import PushJOSE

@testable public import PushPowerAuth

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Inner {
    /// HMAC-SHA256 as the plugin computes it.
    public static func hmac(of message: Data, by key: Secret) -> [UInt8] {
        message.withUnsafeBytes { message in
            FastHMAC.withCode(for: message, key: key) { Array($0) }
        }
    }

    /// Signs for an activation whose keys are in memory.
    public struct PowerAuthSigner: Sendable {
        private static let uriID = "/operation/authorize"

        private let application: PowerAuthApplication
        private let keys: [Secret]
        private let counter: SignatureCounter

        /// Takes keys.
        ///
        /// - Parameters:
        ///   - application: The application.
        ///   - keys: Of 16 bytes each: possession, and knowledge after it for two factors.
        ///   - counter: The counter's value, 16 bytes.
        /// - Throws: What makes the keys unusable.
        public init(_ application: PowerAuthApplication, keys: [Secret], counter: Secret) throws {
            self.application = application
            self.keys = keys
            self.counter = try SignatureCounter(data: counter)
        }

        /// What a signature is made over.
        public func normalized(_ body: Data, nonce: [UInt8]) -> Secret {
            RequestSignature.normalized(
                uriID: Self.uriID, nonce: nonce, body: body, applicationSecret: application.secret)
        }

        /// The signature itself.
        public func signature(over data: Secret) throws -> String {
            try RequestSignature.online(keys: keys, counter: counter, over: data)
        }

        /// The counter's next value.
        public func next() -> Secret { counter.next().data }

        /// The header of one request with a nonce of its own, and the counter's next value.
        public func header(
            for body: Data, random: any RandomSource
        ) throws -> (text: String, next: Secret) {
            let nonce = random.array(SignatureHeader.nonceCount)
            let header = SignatureHeader(
                version: .v3_3, activationID: "6ae8cd16-67a7-4840-8d37-33d9aab6ea51",
                applicationKey: application.key, nonce: nonce,
                factors: keys.count == 1 ? .possession : .possessionKnowledge,
                signature: try signature(over: normalized(body, nonce: nonce)))
            return (try header.text(), next())
        }
    }

    /// Seals requests for one temporary key in application scope, by protocol 3.3.
    public struct PowerAuthSealer: Sendable {
        /// Opens the response to one request.
        public struct Opener: Sendable {
            fileprivate let opener: ResponseOpener

            /// Checks and decrypts a response.
            public func open(_ envelope: JSON) throws -> Secret { try opener.open(envelope) }
        }

        private let encryptor: RequestEncryptor

        /// Takes the key to seal for.
        public init(
            _ application: PowerAuthApplication, keyID: String,
            publicKey: P256.KeyAgreement.PublicKey, sharedInfo1: String, random: any RandomSource
        ) throws {
            let key = EncryptionKey(id: keyID, publicKey: CurvePoint(publicKey))
            encryptor = try RequestEncryptor(
                version: .v3_3, scope: .application(application), key: key,
                sharedInfo1: sharedInfo1, random: random)
        }

        /// Seals one request.
        public func seal(_ plain: Secret, at time: Date) throws -> (body: JSON, opener: Opener) {
            let (body, opener) = try encryptor.seal(plain, timestamp: time)
            return (body, Opener(opener: opener))
        }
    }

    /// Reads statuses of one activation.
    public struct PowerAuthStatusReader: Sendable {
        private let transportKey: Secret
        private let counter: SignatureCounter

        /// Takes the activation's transport key and counter, 16 bytes each.
        public init(transportKey: Secret, counter: Secret) throws {
            self.transportKey = transportKey
            self.counter = try SignatureCounter(data: counter)
        }

        /// Decrypts a status.
        ///
        /// - Returns: How many attempts are left.
        public func open(_ encrypted: Data, challenge: Data, nonce: Data) throws -> Int {
            try blob(encrypted, challenge, nonce).attemptsLeft
        }

        /// Decrypts a status, and compares the counters.
        ///
        /// - Returns: Whether they are the same.
        public func compare(_ encrypted: Data, challenge: Data, nonce: Data) throws -> Bool {
            let sync = try CounterSync(
                local: counter, blob: blob(encrypted, challenge, nonce), transportKey: transportKey)
            return sync == .inSync
        }

        private func blob(
            _ encrypted: Data, _ challenge: Data, _ nonce: Data
        ) throws -> ActivationStatusBlob {
            try ActivationStatusBlob(
                opening: encrypted, challenge: challenge, nonce: nonce, transportKey: transportKey)
        }
    }

    /// Proves requests by a token of the server's.
    public struct PowerAuthToken: Sendable {
        private let token: PushPowerAuth.AccessToken

        /// Takes a token; its secret has 16 bytes.
        public init(id: String, secret: Secret) throws {
            token = try PushPowerAuth.AccessToken(id: id, secret: secret)
        }

        /// The header of one request with a nonce of its own, by protocol 3.3.
        public func header(at time: Date, random: any RandomSource) -> String {
            let nonce = random.array(PushPowerAuth.AccessToken.nonceByteCount)
            return token.header(version: .v3_3, nonce: nonce, timestamp: time)
        }
    }
}
