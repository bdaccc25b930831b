import PushCore
import PushJOSE

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// One-time codes (RFC 6238), which work offline.
struct PlusAuthCodes: CodeGenerator {
    let channel: PlusAuthChannel
    let sim: SIMEnforcement

    func code(
        of account: Account, evidence: [Evidence]
    ) async throws(PushError) -> OneTimeCode {
        try await sim.enforce(on: account)
        let credential: PlusAuthCredential = try account.credential()
        let totp = try credential.codes.totp
        let deviceTime = channel.environment.clock.now
        let now = await now(for: account.id, at: credential.origin, deviceTime)
        let end = Double(try totp.step(at: now) + 1) * Double(totp.period)
        let rest = Date(timeIntervalSince1970: end).timeIntervalSince(now)
        return OneTimeCode(Secret(try totp.code(at: now).utf8), expiry: deviceTime + rest)
    }

    /// Now, by this device's clock, unless the server's is known to show something else.
    private func now(
        for enrollment: Enrollment.ID, at origin: String, _ deviceTime: Date
    ) async -> Date {
        guard let known = await channel.serverTime(of: enrollment, at: origin) else {
            return deviceTime
        }
        return min(max(deviceTime, known.lowerBound), known.upperBound)
    }
}

extension PlusAuthCredential.CodeParameters {
    var totp: TOTP {
        get throws(PushError) {
            guard let algorithm = OTPAlgorithm(rawValue: algorithm) else {
                throw PushError(.malformed, "The credential is damaged.")
            }
            return try TOTP(secret: secret, algorithm: algorithm, digits: digits, period: period)
        }
    }
}
