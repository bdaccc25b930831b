import Crypto
public import PushCore

/// The hash of a one-time password (RFC 6238 section 1.2).
public enum OTPAlgorithm: String, Hashable, Sendable, CaseIterable {
    /// HMAC with SHA-1, the only one RFC 4226 knows and the default everywhere.
    case sha1 = "SHA1"
    /// HMAC with SHA-256.
    case sha256 = "SHA256"
    /// HMAC with SHA-512.
    case sha512 = "SHA512"
}

/// One-time passwords from a counter (RFC 4226).
public struct HOTP: Sendable {
    /// How many further codes a verifier may ever be asked to try.
    package static let maximumWindow = 100

    /// How many digits a code has, 6 to 8.
    public let digits: Int

    private let algorithm: OTPAlgorithm
    private let key: SymmetricKey

    /// Creates a generator.
    ///
    /// - Parameters:
    ///   - secret: The shared key, at least one byte. RFC 4226 asks for 16 or more.
    ///   - algorithm: The hash.
    ///   - digits: How many digits a code has, 6 to 8.
    /// - Throws: `PushError` with the code `invalidArgument`.
    public init(
        secret: Secret, algorithm: OTPAlgorithm = .sha1, digits: Int = 6
    ) throws(PushError) {
        guard secret.count > 0 else {
            throw PushError(.invalidArgument, "The secret of one-time passwords is empty.")
        }
        guard (6...8).contains(digits) else {
            throw PushError(.invalidArgument, "The digits of a one-time password aren't 6 to 8.")
        }
        self.digits = digits
        self.algorithm = algorithm
        key = secret.withBytes { SymmetricKey(data: $0) }
    }

    /// The code for a counter, with leading zeros.
    public func code(counter: UInt64) -> String {
        let message = (0..<8).map { UInt8(truncatingIfNeeded: counter >> (56 - 8 * $0)) }
        let hash =
            switch algorithm {
            case .sha1: Array(HMAC<Insecure.SHA1>.authenticationCode(for: message, using: key))
            case .sha256: Array(HMAC<SHA256>.authenticationCode(for: message, using: key))
            case .sha512: Array(HMAC<SHA512>.authenticationCode(for: message, using: key))
            }
        // Dynamic truncation, RFC 4226 section 5.3.
        let offset = Int(hash[hash.count - 1] & 0xF)
        let number = hash[offset..<(offset + 4)].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        let modulus: UInt32 = digits == 6 ? 1_000_000 : digits == 7 ? 10_000_000 : 100_000_000
        let text = String((number & 0x7FFF_FFFF) % modulus)
        return String(repeating: "0", count: digits - text.count) + text
    }

    /// Finds the counter of a code, in time that doesn't tell which it was.
    ///
    /// The caller remembers the counter and begins after it next time, so that no code counts
    /// twice.
    ///
    /// - Parameters:
    ///   - code: The code as it was typed.
    ///   - counter: The first counter to try.
    ///   - lookAhead: How many further counters to try, 0 to ``maximumWindow``.
    /// - Returns: The lowest counter that has this code.
    /// - Throws: `PushError` with the code `untrusted` if none has, `invalidArgument` if
    ///   `lookAhead` is out of range.
    package func verify(
        _ code: some StringProtocol, counter: UInt64, lookAhead: Int = 0
    ) throws(PushError) -> UInt64 {
        guard (0...Self.maximumWindow).contains(lookAhead) else {
            throw PushError(.invalidArgument, "The window isn't 0 to \(Self.maximumWindow).")
        }
        let end = counter.addingReportingOverflow(UInt64(lookAhead))
        return try verify(code, in: counter...(end.overflow ? .max : end.partialValue))
    }

    func verify(
        _ code: some StringProtocol, in counters: ClosedRange<UInt64>
    ) throws(PushError) -> UInt64 {
        let typed = Secret(code.utf8)
        var match: UInt64?
        for counter in counters {
            let expected = Secret(self.code(counter: counter).utf8)
            if expected.isEqualInConstantTime(to: typed) { match = match ?? counter }
        }
        guard let match else { throw PushError(.untrusted, "The one-time password is wrong.") }
        return match
    }
}
