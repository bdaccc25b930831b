#if os(iOS)
import Combine
import Foundation
import PushCore
import PushPlatform

/// A challenge on the screen.
struct Asked: Identifiable {
    nonisolated let id = UUID()
    let challenge: Challenge
    /// How many came in a short time, if they were too many.
    let burst: Int?
    /// What the user should know first.
    let message: String?
}

/// What the screens show and do.
@MainActor
final class AppModel: ObservableObject {
    enum Room: Hashable { case requests, codes, settings }

    @Published var room = Room.requests
    @Published var asked: Asked?
    @Published var isScanning = false
    @Published var offer: Invitation.Offer?
    @Published var failure: String?
    @Published private(set) var waiting: [ChallengeRecord] = []
    @Published private(set) var enrollments: [Enrollment] = []

    let flow: PushFlow
    var authenticator: PushAuthenticator { flow.authenticator }

    var hasOffer: Bool {
        get { offer != nil && asked == nil }
        set { if !newValue { offer = nil } }
    }

    var hasFailed: Bool {
        get { failure != nil && asked == nil }
        set { if !newValue { failure = nil } }
    }

    /// What a guard can seal, and what then needs it.
    private let guarded: [ProviderID: Capabilities.GuardedPart]

    private var reloads = 0
    private let store = KeychainStore(accessGroup: AppProcess.accessGroup)

    init() {
        do {
            // Before the first unlock it can't be done yet: an enrollment tries again.
            try? Self.beginAfresh(store)
            let environment = PushEnvironment(
                transport: SystemTransport(), store: store, verifier: DeviceOwner(),
                device: Device(name: "My phone"),
                keyGuard: KeychainGuard(accessGroup: AppProcess.accessGroup))
            guarded = appPlugins(in: environment).reduce(into: [:]) { $0[$1.id] = $1.guarded }
            flow = PushFlow(
                try appAuthenticator(for: .app, in: environment),
                on: UserNotificationBoard(), hasServiceExtension: true)
        } catch {
            preconditionFailure("Two plugins of one name: found by the first run. \(error)")
        }
    }

    /// The keychain outlives the app: what an earlier installation left goes.
    private static func beginAfresh(_ store: KeychainStore) throws {
        try store.beginAfresh(
            marker: URL.applicationSupportDirectory.appending(path: "push-auth.installed"))
    }

    // MARK: What happens

    /// Shows what changes, for as long as the app's window is there.
    func follow() async {
        for await _ in await flow.changes() { await reload() }
    }

    /// Of two that read at once, the later one counts. What can't be read stays as it was.
    private func reload() async {
        reloads += 1
        let mine = reloads
        let records = try? await authenticator.records()
        let all = try? await authenticator.enrollments()
        guard mine == reloads, let records, let all else { return }
        waiting = records.filter { $0.state == .open }
        enrollments = all
    }

    /// Shows what a tap on a notification led to.
    func show(_ result: PushFlow.TapResult) {
        switch result {
        case .open(let challenge): open(challenge)
        case .notDenied(let challenge, let error):
            open(challenge, saying: "It isn't denied. \(words(for: error))")
        case .list: room = .requests
        case .denied, .notOurs: break
        @unknown default: break
        }
    }

    // MARK: What the user does

    /// Opens a challenge when the user wants to see it, not before: some vendors then give it to
    /// this device alone.
    func open(_ id: Challenge.ID, saying message: String? = nil) {
        attempt { [self] in
            let challenge = try await authenticator.challenge(id)
            let burst = await authenticator.burst(at: id.enrollment)
            await reload()
            // Only one of the two can be on the screen.
            isScanning = false
            asked = Asked(challenge: challenge, burst: burst, message: message)
        }
    }

    /// Whether it was answered on another device, or withdrawn.
    func isOver(_ asked: Asked) -> Bool { !waiting.contains { $0.id == asked.challenge.id } }

    func close(_ asked: Asked) {
        if self.asked?.id == asked.id { self.asked = nil }
    }

    /// Takes what was scanned, or a link: the user sees first what would be joined.
    func scanned(_ text: String) {
        attempt { [self] in
            offer = try authenticator.offers(for: .scanned(text: text)).first
            if offer == nil { failure = "This isn't a code for this app." }
        }
    }

    /// Joins what the user has agreed to.
    func join(_ offer: Invitation.Offer) {
        self.offer = nil
        attempt { [self] in
            try Self.beginAfresh(store)
            _ = try await authenticator.enroll(offer)
            _ = try await askForPermission()
        }
    }

    func remove(_ enrollment: Enrollment.ID) {
        attempt { [self] in try await authenticator.remove(enrollment) }
    }

    /// What a guard seals of an enrollment; `nil` if nothing.
    func guardedPart(of enrollment: Enrollment) -> Capabilities.GuardedPart? {
        guarded[enrollment.id.provider]
    }

    func setGuard(_ policy: GuardPolicy?, of enrollment: Enrollment.ID) {
        attempt { [self] in try await authenticator.setGuard(policy, of: enrollment) }
    }

    func code(for enrollment: Enrollment.ID, _ show: @escaping @MainActor (String?) -> Void) {
        attempt { [self] in
            let code = try await authenticator.code(for: enrollment)
            show(code.text.withBytes { String(decoding: $0, as: UTF8.self) })
            guard let expiry = code.expiry else { return }
            try await Task.sleep(for: .seconds(max(0, expiry.timeIntervalSinceNow)))
            show(nil)
        }
    }

    private func attempt(_ body: @escaping @MainActor () async throws -> Void) {
        Task {
            do {
                try await body()
            } catch {
                // The reason is for developers: an app has words of its own for each code.
                failure = (error as? PushError).map { words(for: $0) } ?? "That didn't work."
            }
            await reload()
        }
    }
}
#endif
