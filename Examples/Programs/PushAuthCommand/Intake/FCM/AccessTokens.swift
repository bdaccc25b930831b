import Crypto
import Foundation
import LocalServer
import PushCore

/// Access tokens for a service account: each says when it ends and what it is good for, under a
/// MAC, so that none has to be remembered.
struct AccessTokens: Sendable {
    private let key: SymmetricKey

    /// How long a token is good, in seconds.
    static let lifetime: Int64 = 3600

    /// - Parameter key: 32 random bytes; tokens of another key aren't taken.
    init(key: Secret) {
        self.key = key.withBytes { SymmetricKey(data: $0) }
    }

    /// What a token is good for.
    enum Grant: UInt8 {
        case messaging = 1
        /// It is genuine, and for another of Google's services.
        case somethingElse = 0
    }

    func make(_ grant: Grant, at now: Date) -> String {
        let end = Int64(now.timeIntervalSince1970) + Self.lifetime
        var bytes = withUnsafeBytes(of: end.bigEndian) { Data($0) }
        bytes.append(grant.rawValue)
        bytes.append(contentsOf: HMAC<SHA256>.authenticationCode(for: bytes, using: key))
        return bytes.base64URL
    }

    /// Why a token isn't taken.
    enum Refusal: Error {
        /// It isn't from here.
        case unknown
        case over
    }

    func grant(of token: String, at now: Date) throws(Refusal) -> Grant {
        guard let bytes = Data(base64URL: token), bytes.count == 9 + SHA256.byteCount,
            HMAC<SHA256>.isValidAuthenticationCode(
                bytes.dropFirst(9), authenticating: bytes.prefix(9), using: key)
        else { throw .unknown }
        let end = bytes.prefix(8).reduce(Int64(0)) { $0 << 8 | Int64($1) }
        guard now.timeIntervalSince1970 < Double(end) else { throw .over }
        guard let grant = Grant(rawValue: bytes[8]) else { throw .unknown }
        return grant
    }
}
