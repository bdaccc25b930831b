import Crypto
public import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension ForgeRockSimulator {
    /// What one-time codes are made with, and so what their half of an invitation says.
    public struct CodeOptions: Hashable, Sendable {
        /// The hash of codes by time; AM's codes by a counter are always of SHA-1.
        @nonexhaustive
        public enum Algorithm: String, Hashable, Sendable, CaseIterable {
            /// HMAC with SHA-1, which invitations don't name.
            case sha1 = "SHA1"
            /// HMAC with SHA-256.
            case sha256 = "SHA256"
            /// HMAC with SHA-512.
            case sha512 = "SHA512"
        }

        /// The hash of codes by time.
        public var algorithm = Algorithm.sha1

        /// How many digits a code has: AM has 6 and 8.
        public var digits = 6

        /// How long a code lasts, in whole seconds.
        public var period = 30

        /// Creates AM's defaults.
        public init() {}
    }

    /// What a login page says to a one-time code.
    @nonexhaustive
    public enum CodeVerdict: Hashable, Sendable {
        /// The user is logged in.
        case accepted
        /// It isn't a code that counts now: wrong, too far off, or used before.
        case refused
    }

    /// Logs a user in by a one-time code.
    ///
    /// By time, two steps before and after now count, if they are later than the last login's; by a
    /// counter, that of the server and the hundred after it. AM also learns the drift of a device's clock;
    /// that isn't simulated.
    ///
    /// - Parameters:
    ///   - user: The user's name.
    ///   - code: The code as the user types it.
    /// - Returns: What the page says.
    /// - Throws: `PushError` with the code `notFound` if the user has no device for codes.
    public func logIn(_ user: String, with code: String) throws(PushError) -> CodeVerdict {
        guard var device = codeDevices[user] else {
            throw PushError(.notFound, "The user has no device for one-time codes.")
        }
        let verdict = device.spend(code, at: configuration.clock.now)
        codeDevices[user] = device
        return verdict
    }
}

/// A one-time-code device profile in AM's user store, with its own count of what was used.
struct CodeDevice {
    private let key: Secret
    private let isCounted: Bool
    private let options: ForgeRockSimulator.CodeOptions
    /// The first counter or step that still counts.
    private var next: UInt64 = 0

    init(key: Secret, isCounted: Bool, options: ForgeRockSimulator.CodeOptions) {
        self.key = key
        self.isCounted = isCounted
        self.options = options
    }

    mutating func spend(
        _ code: String, at now: Date
    ) -> ForgeRockSimulator.CodeVerdict {
        let window: ClosedRange<UInt64>
        if isCounted {
            window = next...(next + 100)
        } else {
            let step = UInt64(max(now.timeIntervalSince1970, 0)) / UInt64(options.period)
            window = (step - min(step, 2))...(step + 2)
        }
        for counter in window where counter >= next && text(of: counter) == code {
            next = counter + 1
            return .accepted
        }
        return .refused
    }

    /// RFC 4226, section 5.3.
    private func text(of counter: UInt64) -> String {
        let bytes = withUnsafeBytes(of: counter.bigEndian) { Array($0) }
        let key = key.withBytes { SymmetricKey(data: $0) }
        let code =
            switch isCounted ? .sha1 : options.algorithm {
            case .sha256: Array(HMAC<SHA256>.authenticationCode(for: bytes, using: key))
            case .sha512: Array(HMAC<SHA512>.authenticationCode(for: bytes, using: key))
            case .sha1: Array(HMAC<Insecure.SHA1>.authenticationCode(for: bytes, using: key))
            }
        let offset = Int(code[code.count - 1] % 16)
        let number = code[offset..<(offset + 4)].reduce(0) { $0 * 256 + Int($1) } % (1 << 31)
        let digits = "\(number)".suffix(options.digits)
        return String(repeating: "0", count: options.digits - digits.count) + digits
    }
}
