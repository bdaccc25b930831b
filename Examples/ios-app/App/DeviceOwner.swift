#if os(iOS)
import LocalAuthentication
import PushCore

/// The app's own screen for a PIN.
nonisolated protocol PINScreen: Sendable {
    /// Asks for the PIN, or for a new one.
    func ask(for factor: Factor, _ title: String) async throws(PushError) -> Secret
}

/// Proves the user by Face ID, Touch ID or the passcode, and by a PIN if the app asks for one.
nonisolated struct DeviceOwner: UserVerifier {
    /// For vendors that want a PIN; `nil` if the app has none of those.
    var pinScreen: (any PINScreen)?

    /// For vendors that have a key for biometry; `nil` if the app has none of those.
    var biometry: BiometricSecret?

    func verify(_ request: VerificationRequest) async throws(PushError) -> [Evidence] {
        if request.alternatives.isEmpty { return [] }
        let possible = request.alternatives.filter { $0.allSatisfy(canBring) }
        // Without the secret, a finger opens no vendor's key: rather the PIN, where that is enough.
        let isGone = biometry?.isThere == false
        guard
            let alternative = possible.first(where: { !isGone || !$0.contains(.biometry) })
                ?? possible.first
        else { throw Self.unprovable }
        let title = request.title ?? "Confirm that it is you"
        var evidence: [Evidence] = []
        for factor in alternative { evidence.append(try await bring(factor, title)) }
        return evidence
    }

    private static let unprovable = PushError(
        .verificationFailed, "This app can't prove the user in that way.")

    private func canBring(_ factor: Factor) -> Bool {
        switch factor {
        case .presence, .deviceCredential: true
        case .pin, .newPIN: pinScreen != nil
        case .biometry: hasBiometry
        case .newBiometry: biometry != nil && hasBiometry
        case .code: false
        @unknown default: false
        }
    }

    private var hasBiometry: Bool {
        LAContext().canEvaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, error: nil)
    }

    private func bring(_ factor: Factor, _ title: String) async throws(PushError) -> Evidence {
        switch factor {
        case .presence: return .presence
        case .newBiometry:
            guard let biometry else {
                throw PushError(.verificationFailed, "This app keeps no secret for biometry.")
            }
            return .biometry(try await biometry.openOrMake(title))
        case .biometry:
            if let secret = try await biometry?.open(title) { return .biometry(secret) }
            // For a vendor that has no key for it. One that has takes no evidence without a secret.
            try await ask(.deviceOwnerAuthenticationWithBiometrics, title)
            return .biometry(nil)
        case .deviceCredential:
            try await ask(.deviceOwnerAuthentication, title)
            return .deviceCredential
        case .pin, .newPIN:
            guard let pinScreen else {
                throw PushError(.verificationFailed, "This app has no screen for a PIN.")
            }
            return .pin(try await pinScreen.ask(for: factor, title))
        case .code: throw Self.unprovable
        @unknown default: throw Self.unprovable
        }
    }

    private func ask(_ policy: LAPolicy, _ title: String) async throws(PushError) {
        let isOwner: Bool
        let context = LAContext()
        // A context that goes takes its question from the screen.
        defer { withExtendedLifetime(context) {} }
        do {
            isOwner = try await context.evaluatePolicy(policy, localizedReason: title)
        } catch let error as LAError where [.userCancel, .appCancel].contains(error.code) {
            throw PushError(.cancelled, "The user gave up.", underlying: error)
        } catch {
            throw PushError(.verificationFailed, "The user wasn't recognized.", underlying: error)
        }
        guard isOwner else { throw PushError(.verificationFailed, "The user wasn't recognized.") }
    }
}
#endif
