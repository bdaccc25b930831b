import Foundation
import PushCore

/// What an app does with pushes, apart from what UIKit calls it with.
struct PushFlow: Sendable {
    let authenticator: PushAuthenticator
    let policy: NotificationPolicy

    init(_ authenticator: PushAuthenticator, policy: NotificationPolicy) {
        self.authenticator = authenticator
        self.policy = policy
    }

    // snippet: token
    /// Tells every vendor the device token. Those that couldn't be reached are told later.
    func registered(_ token: [UInt8], isSandbox: Bool) async throws(PushError) {
        let digits = Array("0123456789abcdef")
        let hex = String(token.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
        try await authenticator.deviceTokenChanged(.apns(hex: hex, isSandbox: isSandbox))
    }
    // end snippet

    // snippet: received
    /// Takes a push; returns whether it was for the authenticator, and not for the app.
    func received(_ push: PushMessage) async throws(PushError) -> Bool {
        try await !authenticator.receive(push).isEmpty
    }
    // end snippet

    // snippet: updates
    /// Shows what waits for an answer and takes away what is over, for as long as the app runs.
    func present(on board: some NotificationBoard) async {
        for await update in await authenticator.updates() {
            // A notification that isn't shown is no reason to end: the app's own list has it, too.
            try? await authenticator.present(update, on: board, by: policy)
        }
    }
    // end snippet

    // snippet: foreground
    /// At start and whenever the app comes to the foreground: finishes what was interrupted, and
    /// finds what no push told of.
    func becameActive() async throws(PushError) {
        try await authenticator.resume()
        _ = try await authenticator.pending()
    }
    // end snippet

    // snippet: content
    /// What to show for a push that came while the app wasn't running; `nil` if it is the app's own.
    func notification(
        for push: PushMessage
    ) async throws(PushError) -> LocalNotification? {
        for reception in try await authenticator.receive(push) {
            guard case .notice(let notice, _) = reception.kind else { continue }
            let change = try await authenticator.notificationChange(for: notice.id, by: policy)
            if case .show(let notification) = change { return notification }
        }
        return nil
    }
    // end snippet

    // snippet: denied
    /// Says no by a notification's button.
    ///
    /// - Returns: Whether the denial is on its way. It isn't if the notification wasn't this app's, and
    ///   then nothing was sent: the user sees the challenge instead, and says there what to do.
    func denied(_ response: NotificationResponse) async throws(PushError) -> Bool {
        do throws(PushError) {
            _ = try await authenticator.deny(by: response)
            return true
        } catch  where error.code == .untrusted {
            return false
        }
    }
    // end snippet

    // snippet: over
    /// Whether a notification that is shown has to go: its challenge doesn't wait any more.
    func isOver(_ challenge: Challenge.ID) async throws(PushError) -> Bool {
        if case .show = try await authenticator.notificationChange(for: challenge, by: policy) {
            return false
        }
        return true
    }
    // end snippet
}
