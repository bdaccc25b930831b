public import Crypto
public import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension PowerAuthSimulator {
    /// An application as the server knows it: what its mobile apps ship with, and the private half.
    public struct Application: Sendable {
        /// Its identifier at the server.
        public var id: String

        /// The application key: 16 bytes in Base64.
        public let key: String

        /// The application secret: 16 bytes in Base64.
        public let secret: String

        /// The master key of the server. Its public half ships in the app.
        public let masterKey: P256.KeyAgreement.PrivateKey

        /// Whether the server still takes it.
        public var isSupported = true

        /// Creates an application with keys drawn from a source.
        public init(id: String, random: any RandomSource) {
            self.init(
                id: id, key: random.bytes(16), secret: random.bytes(16), masterKey: random.key())
        }

        /// Creates an application with keys of its own.
        ///
        /// - Parameters:
        ///   - id: Its identifier at the server.
        ///   - key: The application key, 16 bytes.
        ///   - secret: The application secret, 16 bytes.
        ///   - masterKey: The server's master key.
        public init(
            id: String, key: Secret, secret: Secret, masterKey: P256.KeyAgreement.PrivateKey
        ) {
            self.id = id
            self.key = key.withBytes { Data($0).base64 }
            self.secret = secret.withBytes { Data($0).base64 }
            self.masterKey = masterKey
        }

        /// The configuration string that a mobile app is given, as the vendor's tools print it.
        public var sdkConfiguration: String {
            var bytes = Data([1])
            for text in [key, secret] {
                let part = Data(base64: text) ?? Data()
                bytes += [UInt8(clamping: part.count)] + part
            }
            let point = masterKey.publicKey.x963Representation
            bytes += [1, 1, UInt8(clamping: point.count)] + point
            return bytes.base64
        }

        /// The 16 bytes of the secret.
        var secretBytes: Data { Data(base64: secret) ?? Data() }
    }
}
