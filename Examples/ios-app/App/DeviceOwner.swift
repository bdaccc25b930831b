#if os(iOS)
import LocalAuthentication
import PushCore

/// The app's own screen for a PIN.
nonisolated protocol PINScreen: Sendable {
    /// Asks for the PIN, or for a new one.
    func ask(for factor: Factor, _ title: String) async throws(PushError) -> Secret
}

/// Proves the user by Face ID, Touch ID or the passcode, and by a PIN if the app asks for one.
///
/// What it says is the app's word alone. A key that a guard seals is opened by the system
/// (`KeychainGuard`), and then the user is asked here for nothing that this has proved.
nonisolated struct DeviceOwner: UserVerifier {
    /// For vendors that want a PIN; `nil` if the app has none of those.
    var pinScreen: (any PINScreen)?

    func verify(_ request: VerificationRequest) async throws(PushError) -> [Evidence] {
        if request.alternatives.isEmpty { return [] }
        guard let alternative = request.alternatives.first(where: { $0.allSatisfy(canBring) })
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
        // A vendor's key for biometry is the guard's.
        case .newBiometry, .code: false
        @unknown default: false
        }
    }

    private var hasBiometry: Bool {
        LAContext().canEvaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, error: nil)
    }

    private func bring(_ factor: Factor, _ title: String) async throws(PushError) -> Evidence {
        switch factor {
        case .presence: return .presence
        case .biometry:
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
        case .newBiometry, .code: throw Self.unprovable
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
