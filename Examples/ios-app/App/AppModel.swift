#if os(iOS)
import Combine
import Foundation
import PushCore
import PushPlatform

/// A challenge on the screen.
struct Asked: Identifiable {
    let challenge: Challenge
    /// How many came in a short time, if they were too many.
    let burst: Int?

    nonisolated var id: Challenge.ID { challenge.id }
}

/// What the screens show and do.
@MainActor
final class AppModel: ObservableObject {
    @Published var asked: Asked?
    @Published var offer: Offer?
    @Published var hasFailed = false
    @Published private(set) var waiting: [ChallengeRecord] = []
    @Published private(set) var enrollments: [Enrollment] = []

    let flow: PushFlow
    var authenticator: PushAuthenticator { flow.authenticator }

    private var bursts: [Challenge.ID: Int] = [:]

    // snippet: model
    init() {
        let store = KeychainStore(accessGroup: AppProcess.accessGroup)
        do {
            // The keychain outlives the app. What an earlier installation left goes.
            _ = try? store.beginAfresh(
                marker: URL.applicationSupportDirectory.appending(path: "push-auth.installed"))
            flow = PushFlow(
                try appAuthenticator(for: .app, store: store, verifier: DeviceOwner()),
                on: UserNotificationBoard(), hasServiceExtension: true)
        } catch {
            preconditionFailure("Two plugins of one name: found by the first run. \(error)")
        }
    }
    // end snippet

    // MARK: What happens

    /// Shows what changes, for as long as the app's window is there.
    func follow() async {
        let updates = await authenticator.updates()
        await reload()
        for await update in updates {
            if case .received(let reception) = update, let challenge = reception.challenge {
                bursts[challenge] = reception.burst
            }
            // Answered on another device, or withdrawn: the screen goes.
            if case .received(let reception) = update, case .over(let end) = reception.kind,
                asked?.id == end.id
            {
                asked = nil
            }
            await reload()
        }
    }

    private func reload() async {
        waiting = ((try? await authenticator.records()) ?? []).filter { $0.state == .open }
        enrollments = (try? await authenticator.enrollments()) ?? []
    }

    /// Shows what a tap on a notification led to.
    func show(_ result: PushFlow.TapResult) {
        switch result {
        case .open(let challenge): open(challenge)
        case .notDenied(let challenge, _):
            hasFailed = true
            open(challenge)
        default: break
        }
    }

    // MARK: What the user does

    // snippet: open
    /// Opens a challenge when the user wants to see it, not before: some vendors then give it to this
    /// device alone.
    func open(_ challenge: Challenge.ID) {
        attempt { [self] in
            asked = Asked(
                challenge: try await authenticator.challenge(challenge), burst: bursts[challenge])
        }
    }
    // end snippet

    // snippet: enroll
    /// Takes what was scanned, or a link: the user sees first what would be joined.
    func scanned(_ text: String) {
        attempt { [self] in
            offer = try authenticator.offers(for: .scanned(text: text)).first
        }
    }

    /// Joins what the user has agreed to.
    func join(_ offer: Offer) {
        self.offer = nil
        attempt { [self] in
            _ = try await authenticator.enroll(offer)
            _ = try await askForPermission()
        }
    }
    // end snippet

    func remove(_ enrollment: Enrollment.ID) {
        attempt { [self] in try await authenticator.remove(enrollment) }
    }

    func code(for enrollment: Enrollment.ID) async -> String? {
        guard let code = try? await authenticator.code(for: enrollment) else { return nil }
        return code.text.withBytes { String(decoding: $0, as: UTF8.self) }
    }

    private func attempt(_ body: @escaping @MainActor () async throws -> Void) {
        Task {
            do {
                try await body()
            } catch {
                // The reason is for developers: an app has words of its own for each code.
                hasFailed = true
            }
            await reload()
        }
    }
}
#endif
