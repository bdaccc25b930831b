import PushCore
import PushJOSE

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// One-time codes (RFC 6238), which work offline.
struct PlusAuthCodes: CodeGenerator {
    let provider: PlusAuth

    func code(
        for enrollment: Enrollment.ID, evidence: [Evidence]
    ) async throws(PushError) -> OneTimeCode {
        do throws(PushError) {
            let credential = try PlusAuthCredential(
                try await provider.vault.existing(enrollment).secret)
            try await provider.enforceSim(on: enrollment, credential)
            let totp = try credential.codes.totp
            let now = provider.environment.clock.now
            let end = Double(try totp.step(at: now) + 1) * Double(totp.period)
            return OneTimeCode(
                Secret(try totp.code(at: now).utf8), expiry: Date(timeIntervalSince1970: end))
        } catch {
            throw error.of(provider.id)
        }
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
