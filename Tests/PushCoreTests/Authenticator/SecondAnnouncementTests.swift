import Foundation
import PushCore
import PushTesting
import Testing

@testable import FictionalVendor

/// What a later announcement of one challenge changes, as its provider says.
struct SecondAnnouncementTests {
    private let harness = AuthenticatorHarness()

    private func named(_ title: String, prompt: String = "approve") -> JSON {
        ["kind": "ask", "id": "1", "prompt": .string(prompt), "title": .string(title)]
    }

    private func push(_ title: String, prompt: String = "approve") throws -> PushMessage {
        try AcmeWire.push(named(title, prompt: prompt), to: "ada")
    }

    /// An Acme whose pushes' texts count more than its list's. The prompt can't change.
    private var acme: RicherAcme {
        var acme = RicherAcme(.init(listsAll: true), in: harness.environment)
        acme.merge = { (known, other) throws(PushError) in
            func prompt(_ announcement: Announcement) throws(PushError) -> JSON? {
                try Secret.Record(reading: announcement.context).fields["claims"]?["prompt"]
            }
            guard try prompt(known) == prompt(other) else {
                throw PushError(.untrusted, "Its prompt has changed.")
            }
            return other.notice.proof == .mac ? other : nil
        }
        return acme
    }

    private func title(at authenticator: PushAuthenticator) async throws -> String? {
        try await authenticator.record(of: .ada("1"))?.notice.title
    }

    @Test func `without a provider's word the first announcement stays`() async throws {
        let authenticator = try await harness.enrolled()
        _ = try await authenticator.receive(try push("first"))
        let again = try await authenticator.receive(try push("second"))
        #expect(again.map(\.isNew) == [false])
        #expect(try await title(at: authenticator) == "first")
    }

    @Test func `a better text is on record and told, and rings no more`() async throws {
        let authenticator = try await harness.enrolled(at: acme)
        await harness.server.offer(named("listed"), to: "ada")
        _ = try await authenticator.pending(for: .ada)
        let updates = await authenticator.updates()
        let received = try await authenticator.receive(try push("pushed"))
        #expect(received.map(\.isNew) == [false])
        #expect(try await title(at: authenticator) == "pushed")
        _ = try await authenticator.pending(for: .ada)
        #expect(try await title(at: authenticator) == "pushed")
        _ = try await authenticator.deny(.ada("1"))
        var told: [AuthenticatorUpdate] = []
        for await update in updates {
            if case .outcome = update { break }
            told.append(update)
        }
        // The list brought nothing that would be worth a redraw.
        #expect(told == received.map { .received($0) })
    }

    @Test func `what changes nothing writes nothing`() async throws {
        let authenticator = try await harness.enrolled(at: acme)
        _ = try await authenticator.receive(try push("pushed"))
        let before = try await authenticator.revisions()
        _ = try await authenticator.receive(try push("pushed"))
        #expect(try await authenticator.revisions() == before)
    }

    @Test func `one that contradicts the first is refused, and the first stays`() async throws {
        let authenticator = try await harness.enrolled(at: acme)
        _ = try await authenticator.receive(try push("first"))
        let other = try push("second", prompt: "choose")
        #expect(await code { try await authenticator.receive(other) } == .untrusted)
        #expect(try await title(at: authenticator) == "first")
        #expect(try await authenticator.challenge(.ada("1")).prompt == .approve)
    }

    @Test func `a listed one that contradicts hides no other, and isn't taken for gone`()
        async throws
    {
        let authenticator = try await harness.enrolled(at: acme)
        _ = try await authenticator.receive(try push("first"))
        await harness.server.offer(named("listed", prompt: "choose"), to: "ada")
        await harness.server.offer(AcmeWire.claims("2"), to: "ada")
        let found = try await authenticator.pending(for: .ada)
        #expect(found.compactMap(\.challenge) == [.ada("2")])
        #expect(try await authenticator.record(of: .ada("1"))?.state == .open)
        let heard = harness.observer.observations.filter { $0.kind == .refused(.untrusted) }
        #expect(heard.map(\.provider) == ["acme"])
    }

    @Test func `an answer starts from what stands there now, not from what was opened before`()
        async throws
    {
        let authenticator = try await harness.enrolled(at: acme)
        let challenge = try await authenticator.open(try push("first"))
        _ = try await authenticator.receive(try push("second"))
        _ = try await authenticator.resolve(challenge, with: .approve)
        #expect(try await title(at: authenticator) == "second")
    }

    @Test func `what the user decided on stays as it was seen`() async throws {
        let authenticator = try await harness.enrolled(at: acme)
        _ = try await authenticator.receive(try push("seen"))
        await harness.faults.next(.dropAfter)
        _ = try await authenticator.deny(.ada("1"))
        _ = try await authenticator.receive(try push("later"))
        #expect(try await title(at: authenticator) == "seen")
    }
}
