import Foundation
import HTTPTypes
import PushCore
import PushForgeRockSimulator
import PushTesting

/// A device with accounts at a vendor that is in no measurement: pushes are made before, and whatever
/// answers a challenge is taken.
final class LoginDevice: Sendable {
    let store: NotingStore
    let accounts: Int
    private let phone: PushAuthenticator
    private let simulator = ForgeRockSimulator()

    init(over store: any CredentialStore, accounts: Int) async throws {
        self.store = NotingStore(store)
        self.accounts = accounts
        let environment = PushEnvironment(
            transport: ShortWay(simulator: simulator), store: self.store,
            verifier: ScriptedVerifier.willing(), device: Device(name: "bench"))
        phone = try await PushAuthenticator.ofForgeRock(in: environment)
        for number in 0..<accounts {
            let invitation = try await simulator.invitation(for: Self.user(number))
            try await phone.enroll(invitation) { _ in true }
        }
    }

    private static func user(_ number: Int) -> String { "user-\(number)" }

    /// As many pushes, for the accounts by turns.
    func pushes(_ count: Int) async throws -> [PushMessage] {
        for number in 0..<count {
            _ = try await simulator.startLogin(of: Self.user(number % accounts), asking: .confirm)
        }
        return try await simulator.takePushes().map { try $0.message() }
    }

    /// A login: its push comes, its challenge is opened and approved.
    func approve(_ push: PushMessage) async throws { try await phone.approve(push) }
}

/// To enroll, the simulator is asked; an answer is taken unread, as that isn't the device's time.
private struct ShortWay: Transport {
    let simulator: ForgeRockSimulator

    func send(
        _ request: HTTPRequest, body: Data
    ) async throws(PushError) -> (response: HTTPResponse, body: Data) {
        guard request.path?.contains("authenticate") == true else {
            return await simulator.respond(to: request, body: body)
        }
        return (HTTPResponse(status: .ok), Data())
    }
}

/// A store that notes what is written and how often it is read. Its lock is why it is safe.
final class NotingStore: CredentialStore, @unchecked Sendable {
    struct Notes: Sendable {
        var reads = 0
        /// How large what was written was, in order.
        var sizes: [Int] = []
    }

    private let store: any CredentialStore
    private let lock = NSLock()
    private var notes = Notes()

    init(_ store: any CredentialStore) { self.store = store }

    /// What was noted since it was asked last.
    func take() -> Notes {
        lock.withLock {
            defer { notes = Notes() }
            return notes
        }
    }

    func read(_ key: RecordKey) async throws(PushError) -> (value: Secret, revision: Revision)? {
        lock.withLock { notes.reads += 1 }
        return try await store.read(key)
    }

    func write(
        _ value: Secret?, for key: RecordKey, replacing revision: Revision?, waits: Bool
    ) async throws(PushError) -> Revision? {
        lock.withLock { notes.sizes.append(value?.count ?? 0) }
        return try await store.write(value, for: key, replacing: revision, waits: waits)
    }

    func discard(_ key: RecordKey) async throws(PushError) { try await store.discard(key) }

    func names(
        in collection: String, waiting: Bool, after name: String?, limit: Int
    ) async throws(PushError) -> NamePage {
        try await store.names(in: collection, waiting: waiting, after: name, limit: limit)
    }
}
