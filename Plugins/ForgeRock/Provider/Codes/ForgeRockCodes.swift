import PushCore
import PushJOSE

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// One-time codes by time (RFC 6238) and by a counter (RFC 4226), which work offline.
struct ForgeRockCodes: CodeGenerator {
    let provider: ProviderID
    let clock: any PushClock
    let policies: [DevicePolicy]

    func code(
        of account: Account, evidence: [Evidence]
    ) async throws(PushError) -> OneTimeCode {
        let kept: ForgeRockCredential = try account.credential()
        let codes = try kept.existingCodes
        try await policies.requireCompliance(with: kept)
        switch codes.kind {
        case .totp(let period):
            let deviceTime = clock.now
            let now = await now(for: account.id, kept, deviceTime)
            let totp = try codes.totp(period: period)
            let end = Double(try totp.step(at: now) + 1) * Double(period)
            let rest = Date(timeIntervalSince1970: end).timeIntervalSince(now)
            return OneTimeCode(
                Secret(try totp.code(at: now).utf8), expiry: deviceTime + rest)
        case .hotp:
            // The next one is on record before anybody sees the code, so no process shows a code
            // twice, even after a crash; AM doesn't mind a counter that is left out.
            let counter = try await account.change {
                (kept: inout ForgeRockCredential, _) throws(PushError) in try kept.takeCounter()
            }
            return OneTimeCode(Secret(try codes.hotp.code(counter: UInt64(counter)).utf8))
        }
    }

    /// Now, by this device's clock, unless AM's is known to show something else.
    private func now(
        for enrollment: Enrollment.ID, _ kept: ForgeRockCredential, _ deviceTime: Date
    ) async -> Date {
        guard let endpoint = try? kept.authenticationEndpoint else { return deviceTime }
        let known = await clock.serverTime.now(
            at: Endpoint.ServerID(endpoint, of: provider), for: enrollment, elapsed: clock.elapsed)
        guard let known else { return deviceTime }
        return min(max(deviceTime, known.lowerBound), known.upperBound)
    }
}

extension OneTimeCodeParameters {
    fileprivate func totp(period: Int) throws(PushError) -> TOTP {
        try TOTP(secret: secret, algorithm: try hash, digits: digits, period: period)
    }

    fileprivate var hotp: HOTP {
        get throws(PushError) { try HOTP(secret: secret, algorithm: try hash, digits: digits) }
    }

    private var hash: OTPAlgorithm {
        get throws(PushError) {
            guard let hash = OTPAlgorithm(rawValue: algorithm) else {
                throw PushError(.malformed, "The credential is damaged.")
            }
            return hash
        }
    }
}
