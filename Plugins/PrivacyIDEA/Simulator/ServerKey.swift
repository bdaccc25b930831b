import Crypto
import CryptoExtras
public import PushCore
import PushJOSE

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension PrivacyIDEASimulator {
    /// A key pair that a server made for a token.
    public struct ServerKey: Sendable {
        let key: _RSA.Signing.PrivateKey

        /// Makes a key pair.
        ///
        /// - Parameter bits: Its size, one that `RSAKeySize` takes. The real server makes 4096, which
        ///   takes seconds.
        /// - Throws: `PushError` with the code `invalidArgument` for a size that can't be.
        public init(bits: Int) throws(PushError) {
            do {
                guard RSAKeySize.takes(bits) else { throw Self.noSize }
                key = try _RSA.Signing.PrivateKey(keySize: .init(bitCount: bits))
            } catch {
                throw PushError(.invalidArgument, "No RSA key has this size.", underlying: error)
            }
        }

        /// Reads a key pair that was made before.
        ///
        /// - Parameter pkcs1: Its PKCS#1 form in DER.
        /// - Throws: `PushError` with the code `malformed` if it isn't one of RSA.
        public init(pkcs1: Secret) throws(PushError) {
            let key = pkcs1.withBytes { bytes in
                try? _RSA.Signing.PrivateKey(derRepresentation: Array(bytes))
            }
            guard let key else { throw PushError(.malformed, "Not an RSA key.") }
            self.key = key
        }

        private static let noSize = PushError(.invalidArgument, "Too small.")

        /// The public half as the reply to an enrollment has it: PKCS#1 in Base64, in lines of 64.
        var lines: String {
            key.publicKey.pkcs1DERRepresentation.base64EncodedString(
                options: [.lineLength64Characters, .endLineWithLineFeed])
        }

        /// The ways to sign that a challenge can have; only one of them is right.
        enum Scheme { case pkcs1, pss, sha1 }

        func signature(over text: String, by scheme: Scheme = .pkcs1) throws(PushError) -> Data {
            let message = Data(text.utf8)
            do {
                switch scheme {
                case .pkcs1:
                    return try key.signature(for: message, padding: .insecurePKCS1v1_5)
                        .rawRepresentation
                case .pss:
                    return try key.signature(for: message, padding: .PSS).rawRepresentation
                case .sha1:
                    let digest = Insecure.SHA1.hash(data: message)
                    return try key.signature(for: digest, padding: .insecurePKCS1v1_5)
                        .rawRepresentation
                }
            } catch {
                throw PushError(.invalidArgument, "The key can't sign.", underlying: error)
            }
        }
    }

    /// Where the key pairs of the server come from.
    public struct ServerKeySupply: Sendable {
        private let make: @Sendable () -> Result<ServerKey, PushError>

        /// A new key pair for each enrollment, as the real server makes.
        ///
        /// - Parameter bits: Its size, one that `RSAKeySize` takes.
        /// - Returns: The supply.
        public static func fresh(bits: Int = 4096) -> ServerKeySupply {
            ServerKeySupply {
                Result { () throws(PushError) in try ServerKey(bits: bits) }
            }
        }

        /// Key pairs that were made before, one after the other, and from the first again.
        public static func reusing(_ keys: [ServerKey]) -> ServerKeySupply {
            let next = Locked(0)
            return ServerKeySupply {
                guard !keys.isEmpty else {
                    return .failure(PushError(.invalidArgument, "There is no key to reuse."))
                }
                return .success(keys[next.withLock { Self.advance(&$0, in: keys.count) }])
            }
        }

        /// A few key pairs of the smallest size, made when they are first needed, and from the first
        /// again: for tests and demonstrations, where making one for each enrollment takes too long.
        ///
        /// - Parameter count: How many; enrollments that many apart share one.
        /// - Returns: The supply.
        public static func pool(of count: Int) -> ServerKeySupply {
            let count = max(count, 1)
            let pool = Locked<(keys: [ServerKey], next: Int)>(([], 0))
            return ServerKeySupply {
                pool.withLock { pool in
                    if pool.keys.count < count {
                        let made = Result { () throws(PushError) in
                            try ServerKey(bits: RSAKeySize.smallest)
                        }
                        if case .success(let key) = made { pool.keys.append(key) }
                        return made
                    }
                    return .success(pool.keys[advance(&pool.next, in: count)])
                }
            }
        }

        private static func advance(_ next: inout Int, in count: Int) -> Int {
            defer { next = (next + 1) % count }
            return next
        }

        func next() throws(PushError) -> ServerKey { try make().get() }
    }
}

/// The key of a device, as the server keeps it: looked at only when something is to be verified.
enum StoredKey: Sendable {
    case usable(_RSA.Signing.PublicKey)
    case unusable

    /// Reads SubjectPublicKeyInfo in Base64, padded, in either alphabet; nothing else is usable.
    init(_ text: String) {
        let standard = text.replacing("-", with: "+").replacing("_", with: "/")
        guard let der = Data(base64Encoded: standard),
            let key = try? _RSA.Signing.PublicKey(unsafeDERRepresentation: der),
            key.derRepresentation == der
        else {
            self = .unusable
            return
        }
        self = .usable(key)
    }
}
