import Foundation
import PushCore
import PushForgeRockSimulator
import PushTesting
import Testing

@testable import PushForgeRock

/// A store at which something happens once, just before an enrollment's record is replaced.
private actor InterruptedStore: CredentialStore {
    let base: InMemoryStore
    private var interruption: (@Sendable () async -> Void)?
    /// What was written since then, by collection, and how often another process was first.
    private(set) var writes: [String] = []
    private(set) var conflicts = 0

    init(_ base: InMemoryStore) { self.base = base }

    func interrupt(_ body: @escaping @Sendable () async -> Void) {
        interruption = body
        (writes, conflicts) = ([], 0)
    }

    func read(_ key: RecordKey) async throws(PushError) -> (value: Secret, revision: Revision)? {
        try await base.read(key)
    }

    func write(
        _ value: Secret?, for key: RecordKey, replacing revision: Revision?, waits: Bool
    ) async throws(PushError) -> Revision? {
        if key.collection == "enrollment", revision != nil, let body = interruption {
            interruption = nil
            await body()
        }
        do throws(PushError) {
            let written = try await base.write(
                value, for: key, replacing: revision, waits: waits)
            writes.append(key.collection)
            return written
        } catch {
            conflicts += 1
            throw error
        }
    }

    func discard(_ key: RecordKey) async throws(PushError) { try await base.discard(key) }

    func names(
        in collection: String, waiting: Bool, after name: String?, limit: Int
    ) async throws(PushError) -> NamePage {
        try await base.names(in: collection, waiting: waiting, after: name, limit: limit)
    }
}

/// What is noted of a push's enrollment is written with the challenge.
@Suite struct NotedMessageTests {
    private let simulator = ForgeRockSimulator()
    private let base = InMemoryStore()

    private func environment(over store: any CredentialStore) -> PushEnvironment {
        PushEnvironment(
            transport: SimulatedTransport { [simulator] request, body in
                await simulator.respond(to: request, body: body)
            },
            store: store, verifier: ScriptedVerifier.willing(), device: Device(name: "phone"))
    }

    private func phone(over store: any CredentialStore) throws -> PushAuthenticator {
        let environment = environment(over: store)
        return PushAuthenticator(
            try PluginRegistry([ForgeRock(in: environment)]), in: environment)
    }

    private func enroll(_ phone: PushAuthenticator) async throws -> Enrollment.ID {
        try await phone.deviceTokenChanged(.fcm("token"))
        let invitation = try await simulator.invitation(for: "ada")
        let offer = try #require(try phone.offers(for: invitation).first)
        return try await phone.enroll(offer).id
    }

    private func push() async throws -> PushMessage {
        _ = try await simulator.startLogin(of: "ada", asking: .confirm)
        return try #require(try await simulator.takePushes().map { try $0.message() }.last)
    }

    /// Under which message identifiers a challenge is known to have come.
    private func messageIDs(of challenge: Challenge.ID) async throws -> [String] {
        let account = try await environment(over: base).accounts(for: "forgerock")
            .existing(challenge.enrollment)
        let credential: ForgeRockCredential = try account.credential()
        return credential.seen.ids(of: challenge.name)
    }

    @Test func `it is one write with the challenge`() async throws {
        let store = InterruptedStore(base)
        let phone = try phone(over: store)
        _ = try await enroll(phone)
        let message = try await push()
        await store.interrupt {}
        let reception = try #require(try await phone.receive(message).first)
        #expect(reception.isNew)
        #expect(await store.writes == ["enrollment"])
        #expect(try await messageIDs(of: try #require(reception.challenge)).count == 1)
    }

    @Test func `if another process writes the record first, it is noted in the newer one`()
        async throws
    {
        let store = InterruptedStore(base)
        let (phone, other) = (try phone(over: store), try phone(over: base))
        _ = try await enroll(phone)
        let (first, second) = (try await push(), try await push())
        let (told, continuation) = AsyncStream<[Reception]>.makeStream()
        await store.interrupt {
            continuation.yield((try? await other.receive(second).receptions) ?? [])
            continuation.finish()
        }
        let reception = try #require(try await phone.receive(first).first)
        #expect(await store.conflicts == 1)
        #expect(await store.writes == ["enrollment"])
        var others: [Reception] = []
        for await receptions in told { others += receptions }
        #expect(reception.isNew && others.map(\.isNew) == [true])
        for id in [reception.challenge, others.first?.challenge] {
            let id = try #require(id)
            #expect(try await messageIDs(of: id).count == 1)
            let challenge = try await phone.challenge(id)
            #expect(try await phone.resolve(challenge, with: .approve) == .delivered)
        }
    }

    @Test func `a challenge that comes again under another identifier is known under both`()
        async throws
    {
        let phone = try phone(over: base)
        _ = try await enroll(phone)
        let message = try await push()
        let id = try #require(try await phone.receive(message).first?.challenge)
        let original = try #require(try await messageIDs(of: id).first)
        let text = message.content.text.replacing(original, with: "AUTHENTICATE:another")
        let copy = try PushMessage(json: Data(text.utf8))
        #expect(try await phone.receive(copy).map(\.isNew) == [false])
        #expect(try await messageIDs(of: id) == [original, "AUTHENTICATE:another"])
    }

    @Test func `of an enrollment that was removed meanwhile nothing is left`() async throws {
        let store = InterruptedStore(base)
        let (phone, other) = (try phone(over: store), try phone(over: base))
        let enrollment = try await enroll(phone)
        let message = try await push()
        await store.interrupt { try? await other.remove(enrollment) }
        let error = await #expect(throws: PushError.self) {
            try await phone.receive(message)
        }
        #expect(error?.code == .unknownEnrollment)
        #expect(try await base.names(in: "enrollment").isEmpty)
    }
}
