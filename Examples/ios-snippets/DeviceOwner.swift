// Not compiled on Linux, where the project's checks run: LocalAuthentication is Apple's.
#if os(iOS)
import LocalAuthentication
import PushCore

// snippet: verifier
/// Proves the user by Face ID, Touch ID or the passcode. An app with PINs asks for them here, too.
struct DeviceOwner: UserVerifier {
    func verify(_ request: VerificationRequest) async throws(PushError) -> [Evidence] {
        if request.alternatives.isEmpty { return [] }
        if request.alternatives.contains([.presence]) { return [.presence] }
        let title = request.title ?? "Confirm that it is you"
        if request.alternatives.contains([.biometry]) {
            try await ask(.deviceOwnerAuthenticationWithBiometrics, title)
            return [.biometry(nil)]
        }
        guard request.alternatives.contains([.deviceCredential]) else {
            throw PushError(.verificationFailed, "This app can't prove the user in that way.")
        }
        try await ask(.deviceOwnerAuthentication, title)
        return [.deviceCredential]
    }

    private func ask(_ policy: LAPolicy, _ title: String) async throws(PushError) {
        let isOwner: Bool
        do {
            isOwner = try await LAContext().evaluatePolicy(policy, localizedReason: title)
        } catch let error as LAError where [.userCancel, .appCancel].contains(error.code) {
            throw PushError(.cancelled, "The user gave up.", underlying: error)
        } catch {
            throw PushError(.verificationFailed, "The user wasn't recognized.", underlying: error)
        }
        guard isOwner else { throw PushError(.verificationFailed, "The user wasn't recognized.") }
    }
}
// end snippet
#endif
