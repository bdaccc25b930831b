import PushCore
import PushJOSE

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The one-time passwords that a screen shows to the user who is near.
enum ProximityPassword {
    static func text(_ seed: Secret, at now: Int64) -> String? {
        guard now >= 0, let hotp = try? HOTP(secret: seed, algorithm: .sha256, digits: 8) else {
            return nil
        }
        return hotp.code(counter: UInt64(now / 30_000))
    }

    /// The password of this step of 30 seconds or of the one before it, but never of the next: that
    /// one nobody can have seen.
    static func isRight(_ text: String, _ seed: Secret, at now: Int64) -> Bool {
        [now - 30_000, now].contains { time in
            guard let expected = Self.text(seed, at: time) else { return false }
            return Secret(expected.utf8).isEqualInConstantTime(to: Secret(text.utf8))
        }
    }
}

extension PowerAuthSimulator {
    /// The forms in which a screen shows an operation and its password.
    public enum ProximityForm: Hashable, Sendable {
        /// A link with `oid` and `totp`.
        case query
        /// A link with `oid` and `potp`.
        case olderQuery
        /// A JWT with `oid` and `totp`. No app checks its signature.
        case token
    }
}
