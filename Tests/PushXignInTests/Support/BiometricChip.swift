import Crypto
import Foundation
import IndependentEncodings
import PushCore
import PushXignIn

/// Keys that only a finger opens, in memory.
actor BiometricChip: XignInBiometricKeys {
    private(set) var keys: [UInt8: SigningKey] = [:]
    private(set) var signatures = 0
    private(set) var deletions = 0
    /// Whether what it says of its keys' public halves is nonsense.
    private let isBroken: Bool

    init(isBroken: Bool = false) { self.isBroken = isBroken }

    func makeKey(
        for enrollment: Enrollment.ID
    ) async throws(PushError) -> (handle: Secret, publicKey: Data) {
        let name = UInt8(keys.count + 1)
        let key = SigningKey()
        keys[name] = key
        return (Secret([name]), isBroken ? Data([4]) : key.publicKey.rawRepresentation)
    }

    func signature(
        over message: Data, with handle: Secret, evidence: Evidence
    ) async throws(PushError) -> Data {
        guard case .biometry = evidence, let name = handle.copied.first, let key = keys[name],
            let signature = try? key.signature(for: message)
        else { throw PushError(.verificationFailed, "No finger, or no key.") }
        signatures += 1
        return signature.rawRepresentation
    }

    func deleteKey(_ handle: Secret) async throws(PushError) {
        deletions += 1
        handle.copied.first.map { keys[$0] = nil }
    }

    /// A configuration with such keys.
    static func configuration(_ chip: BiometricChip = BiometricChip()) -> XignIn.Configuration {
        var configuration = Phone.quick
        configuration.biometricKeys = chip
        return configuration
    }
}
