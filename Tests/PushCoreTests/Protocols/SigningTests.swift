import Foundation
import PushTesting
import Testing

@testable import FictionalVendor
@testable import PushCore

/// An Acme that prepares an answer for the lock that it finds, and signs it with a counter. The
/// lock stands for what takes long to open, such as a PIN's key.
private struct LockedAcme: AcmeVariant {
    let acme: Acme

    /// The locks that answers were prepared for.
    let prepared = Locked<[Int64?]>([])

    private static func lock(of record: Secret.Record) -> Int64? {
        record.fields["lock"]?.integer
    }

    func prepare(_ decision: Decision, of account: Account) async throws(PushError) -> Signing {
        let lock = Self.lock(of: try account.credential())
        prepared.withLock { $0.append(lock) }
        let members: JSON.Object = [
            "id": .string(decision.announcement.notice.id.name),
            "choice": .string(AcmeWire.choice(decision.resolution)),
        ]
        return Signing { (record: inout Secret.Record, _) throws(PushError) in
            guard Self.lock(of: record) == lock else {
                throw PushError(.conflict, "The lock was changed.")
            }
            var members = members
            members["counter"] = .integer(Acme.take("counter", of: &record))
            let answer = AcmeWire.answer(members, key: try Acme.key(in: record))
            return Answer(Secret(answer.utf8), kept: .whole)
        }
    }
}

/// Answers that are signed with the newest credential.
struct SigningTests {
    private let memory = InMemoryStore()
    private let store: ContestedStore
    private let harness: AuthenticatorHarness
    private let acme: LockedAcme

    init() {
        store = ContestedStore(memory)
        harness = AuthenticatorHarness(store: store)
        acme = LockedAcme(acme: harness.acme())
    }

    /// Enrolls ada and opens a login.
    private func opened() async throws -> (authenticator: PushAuthenticator, challenge: Challenge) {
        let authenticator = PushAuthenticator(
            try PluginRegistry([acme]), in: harness.environment,
            configuration: AuthenticatorHarness.quiet)
        _ = try await authenticator.join("ada")
        return (authenticator, try await authenticator.open(try AcmeWire.ask("1")))
    }

    /// The enrollment as another process has it.
    private func elsewhere() async throws(PushError) -> Account {
        try await Accounts(Documents(memory, SystemRandom()), of: "acme").existing(.ada)
    }

    /// Lets another process change a number just before the enrollment is written here.
    private func interrupt(_ name: String, _ number: Int64) async {
        await store.interrupt(Documents.collection) { [self] _ in
            _ = try? await elsewhere().change { (record: inout Secret.Record, _) in
                record.fields[name] = .integer(number)
            }
        }
    }

    private func counter() async throws -> Int64? {
        let record: Secret.Record = try await elsewhere().credential()
        return record.fields["counter"]?.integer
    }

    @Test func `an answer is prepared once, and signed again where another process was first`()
        async throws
    {
        let (authenticator, challenge) = try await opened()
        await interrupt("counter", 7)
        #expect(try await authenticator.resolve(challenge, with: .approve) == .delivered)
        #expect(acme.prepared.withLock { $0 } == [nil])
        #expect(await harness.server.answers.map { $0["counter"] } == [8])
        #expect(try await counter() == 8)
        #expect(await store.remaining == 0)
    }

    @Test func `an answer is prepared again for a lock that another process has changed`()
        async throws
    {
        let (authenticator, challenge) = try await opened()
        await interrupt("lock", 1)
        await interrupt("lock", 2)
        #expect(try await authenticator.resolve(challenge, with: .approve) == .delivered)
        #expect(acme.prepared.withLock { $0 } == [nil, 1, 2])
        #expect(await harness.server.answers.map { $0["counter"] } == [1])
        #expect(await store.remaining == 0)
    }

    @Test func `an answer is prepared three times at the most, and then nothing has happened`()
        async throws
    {
        let (authenticator, challenge) = try await opened()
        for lock in 1...3 { await interrupt("lock", Int64(lock)) }
        #expect(
            await code { try await authenticator.resolve(challenge, with: .approve) } == .conflict)
        #expect(acme.prepared.withLock { $0 } == [nil, 1, 2])
        #expect(await store.remaining == 0)
        #expect(try await counter() == nil)
        #expect(await harness.server.answers.isEmpty)
        #expect(try await authenticator.record(of: .ada("1"))?.state == .open)
    }

    @Test func `what can't be signed takes no counter`() async throws {
        _ = try await opened()
        let account = try await elsewhere()
        let refused = await code {
            try await account.signed(
                Signing { (record: inout Secret.Record, _) throws(PushError) in
                    _ = Acme.take("counter", of: &record)
                    throw PushError(.blocked, "The lock is shut.")
                })
        }
        #expect(refused == .blocked)
        #expect(try await counter() == nil)
    }

    @Test func `what is made already is sent as it is, and writes nothing`() async throws {
        _ = try await opened()
        let before = try await memory.read(Documents.key(.ada))?.revision
        let answer = try await elsewhere().signed(Signing(Answer(secret("made"), kept: .nothing)))
        #expect(answer.bytes.isEqualInConstantTime(to: secret("made")))
        #expect(try await memory.read(Documents.key(.ada))?.revision == before)
    }

    @Test func `no two processes sign with the same counter`() async throws {
        _ = try await opened()
        var accounts: [Account] = []
        for _ in 0..<20 { accounts.append(try await elsewhere()) }
        let counters = await withTaskGroup(of: Int64?.self) { group in
            for account in accounts {
                group.addTask {
                    let answer = try? await account.signed(
                        Signing { (record: inout Secret.Record, _) throws(PushError) in
                            let counter = Acme.take("counter", of: &record)
                            return Answer(secret("\(counter)"), kept: .whole)
                        })
                    return answer.flatMap { Int64($0.bytes.copiedText()) }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(counters.compactMap(\.self).sorted() == Array(1...20))
        #expect(try await counter() == 20)
    }
}
