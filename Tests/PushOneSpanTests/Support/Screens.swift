import PushCore
import PushOneSpan

/// An app's password and biometric screens, and a user who does as told, the last thing again and
/// again.
actor Screens: UserAuthenticationCallback {
    /// What the user does when a screen opens.
    enum Act: Sendable {
        case enter(String)
        case biometry
        case giveUp
        /// Nothing: the screen stays open.
        case wait
    }

    /// A screen that was opened.
    struct Opened: Hashable {
        let type: AuthenticationMethod
        let isEnrollment: Bool
    }

    private var acts: [Act]
    private(set) var opened: [Opened] = []
    private(set) var errors: [PushError.Code] = []
    /// What the screens were to call.
    private(set) var callbacks: [UserAuthenticationInputCallback] = []

    private var watchers: [(count: Int, CheckedContinuation<Void, Never>)] = []

    init(_ acts: Act...) { self.acts = acts }

    func will(_ acts: Act...) { self.acts = acts }

    func onUserAuthenticationRequired(
        _ type: AuthenticationMethod, _ inputCallback: UserAuthenticationInputCallback,
        isEnrollment: Bool
    ) {
        opened.append(Opened(type: type, isEnrollment: isEnrollment))
        callbacks.append(inputCallback)
        for watcher in watchers where watcher.count <= opened.count { watcher.1.resume() }
        watchers.removeAll { $0.count <= opened.count }
        switch acts.count > 1 ? acts.removeFirst() : acts[0] {
        case .enter(let text):
            inputCallback.onUserAuthenticationInputSuccess(Secret(Array(text.utf8)))
        case .biometry: inputCallback.onUserAuthenticationBiometricSuccess()
        case .giveUp: inputCallback.onUserAuthenticationInputAborted()
        case .wait: break
        }
    }

    func onUserAuthenticationInputError(_ error: PushError) { errors.append(error.code) }

    /// Waits until so many screens have been opened.
    func wait(for count: Int) async {
        guard opened.count < count else { return }
        await withCheckedContinuation { watchers.append((count, $0)) }
    }
}
