public import PushCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// One-time passwords from the time (RFC 6238), counted from the beginning of 1970.
public struct TOTP: Sendable {
    /// How long a code lasts, in seconds, at least 1.
    public let period: Int

    private let hotp: HOTP

    /// How many digits a code has, 6 to 8.
    public var digits: Int { hotp.digits }

    /// Creates a generator.
    ///
    /// - Parameters:
    ///   - secret: The shared key, at least one byte.
    ///   - algorithm: The hash.
    ///   - digits: How many digits a code has, 6 to 8.
    ///   - period: How long a code lasts, in seconds, at least 1.
    /// - Throws: `PushError` with the code `invalidArgument`.
    public init(
        secret: Secret, algorithm: OTPAlgorithm = .sha1, digits: Int = 6, period: Int = 30
    ) throws(PushError) {
        guard period > 0 else {
            throw PushError(.invalidArgument, "The period of one-time passwords isn't positive.")
        }
        self.period = period
        hotp = try HOTP(secret: secret, algorithm: algorithm, digits: digits)
    }

    /// How many whole periods have passed since the beginning of 1970.
    ///
    /// - Throws: `PushError` with the code `invalidArgument` if the time is before 1970, or so
    ///   far off that it has no such number.
    public func step(at time: Date) throws(PushError) -> UInt64 {
        guard let seconds = UInt64(exactly: time.timeIntervalSince1970.rounded(.down)) else {
            throw PushError(.invalidArgument, "The time has no one-time password.")
        }
        return seconds / UInt64(period)
    }

    /// The code for a moment, with leading zeros.
    ///
    /// - Throws: `PushError` with the code `invalidArgument`; see ``step(at:)``.
    public func code(at time: Date) throws(PushError) -> String {
        hotp.code(counter: try step(at: time))
    }

    /// Finds the step of a code, in time that doesn't tell which it was.
    ///
    /// The caller remembers the step and refuses it and earlier ones next time, so that no code
    /// counts twice.
    ///
    /// - Parameters:
    ///   - code: The code as it was typed.
    ///   - time: Now.
    ///   - window: How many steps before and after now to try, 0 to ``HOTP/maximumWindow``.
    /// - Returns: The earliest step that has this code.
    /// - Throws: `PushError` with the code `untrusted` if none has, `invalidArgument` if `window`
    ///   is out of range or the time has no step.
    package func verify(
        _ code: some StringProtocol, at time: Date, window: Int = 1
    ) throws(PushError) -> UInt64 {
        guard (0...HOTP.maximumWindow).contains(window) else {
            throw PushError(.invalidArgument, "The window isn't 0 to \(HOTP.maximumWindow).")
        }
        let now = try step(at: time)
        let reach = UInt64(window)
        let end = now.addingReportingOverflow(reach)
        return try hotp.verify(
            code, in: (now - min(now, reach))...(end.overflow ? .max : end.partialValue))
    }
}
