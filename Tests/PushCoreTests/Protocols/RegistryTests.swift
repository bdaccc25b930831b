import Foundation
import PushCore
import Testing

@testable import FictionalVendor

/// A provider that does one thing, for the registry.
private struct Stub: PushProvider, Enroller {
    enum Answer { case deaf, refuses, generic, notice, hint, impostor, impostorHint }

    let id: ProviderID
    let answer: Answer
    let core: Acme

    init(_ id: ProviderID, _ answer: Answer) {
        self.id = id
        self.answer = answer
        core = AuthenticatorHarness().acme()
    }

    var enroller: any Enroller { self }
    var resolver: any Resolver { core }

    func candidate(in message: PushMessage) -> PushMessage.Candidate? {
        answer == .deaf ? nil : PushMessage.Candidate(answer, verifiedBy: event(by:in:))
    }

    private func event(
        by answer: Answer, in accounts: Accounts
    ) async throws(PushError) -> PushEvent {
        let enrollment = Enrollment.ID("e", of: id)
        switch answer {
        case .notice:
            let notice = Notice(id: .init("1", of: enrollment), proof: .mac)
            return .notice(Announcement(notice))
        case .hint: return .hint(PushEvent.Hint(.challenges, at: [enrollment]))
        case .impostor:
            let notice = Notice(id: .init("1", of: .init("e", of: "victim")), proof: .mac)
            return .notice(Announcement(notice))
        case .impostorHint:
            return .hint(PushEvent.Hint(.challenges, at: [enrollment, .init("e", of: "victim")]))
        case .deaf, .refuses, .generic: throw PushError(.untrusted, "Not \(id.rawValue)'s.")
        }
    }

    func offer(_ invitation: Invitation) throws(PushError) -> Invitation.Offer? {
        switch answer {
        case .deaf: return nil
        case .refuses: throw PushError(.invalidInvitation, "Not \(id.rawValue)'s.")
        case .generic:
            var offer = Invitation.Offer(provider: id, invitation: invitation)
            offer.isGeneric = true
            return offer
        default: return Invitation.Offer(provider: id, invitation: invitation)
        }
    }

    func enroll(
        _ offer: Invitation.Offer, with evidence: [Evidence], deviceToken: DeviceToken?
    ) async throws(PushError) -> Enrollment { throw PushError(.unsupported, "") }
    func update(_: DeviceToken?, of account: Account) async throws(PushError) {}
    func refresh(_ account: Account) async throws(PushError) -> Enrollment { account.enrollment }
    func remove(_ account: Account, from place: Enrollment.Removal) async throws(PushError) {}
}

/// Counts how often it reads a message, and answers by what it read alone.
private final class Reader: PushProvider, @unchecked Sendable {
    private let stub: Stub
    private let lock = NSLock()
    private var count = 0

    init(_ id: ProviderID, _ answer: Stub.Answer) {
        stub = Stub(id, answer)
    }

    var id: ProviderID { stub.id }
    var enroller: any Enroller { stub.enroller }
    var resolver: any Resolver { stub.resolver }
    var readings: Int { lock.withLock { count } }

    func candidate(in message: PushMessage) -> PushMessage.Candidate? {
        lock.withLock { count += 1 }
        return stub.candidate(in: message)
    }
}

struct RegistryTests {
    private let message = PushMessage(fcm: [:])
    private let environment = AuthenticatorHarness().environment

    private func registry(_ providers: (ProviderID, Stub.Answer)...) throws -> PluginRegistry {
        try PluginRegistry(providers.map { Stub($0.0, $0.1) })
    }

    @Test func `a vendor's own code is offered to nobody who takes any maker's`() throws {
        let registry = try PluginRegistry([
            Stub("any", .generic), Stub("deaf", .deaf), Stub("own", .notice),
        ])
        let offers = try registry.offers(for: .scanned(text: "code"))
        #expect(offers.map(\.provider) == ["own"])
        let others = try PluginRegistry([
            Stub("refusing", .refuses), Stub("any", .generic), Stub("another", .generic),
        ])
        let generic = try others.offers(for: .scanned(text: "code"))
        #expect(generic.map(\.provider) == ["any", "another"])
    }

    @Test(arguments: [Stub.Answer.impostor, .impostorHint])
    private func `a provider that speaks of another's enrollment is refused`(
        _ answer: Stub.Answer
    ) async throws {
        let alone = try registry(("acme", answer))
        #expect(await code { try await alone.events(from: message, in: environment) } == .untrusted)
        let among = try registry(("acme", answer), ("victim", .notice))
        #expect(
            try await among.events(from: message, in: environment).map(\.provider) == ["victim"])
    }

    @Test func `providers keep their order and are found by name`() throws {
        let registry = try registry(("b", .deaf), ("a", .deaf))
        #expect(registry.ids == ["b", "a"])
        #expect(registry["a"]?.id == "a" && registry["c"] == nil)
        #expect(try PluginRegistry([]).ids.isEmpty)
    }

    @Test func `two providers of one name are refused`() throws {
        let error = #expect(throws: PushError.self) {
            try registry(("a", .deaf), ("b", .deaf), ("a", .notice))
        }
        #expect(error?.code == .duplicateProvider && error?.provider == "a")
    }

    @Test func `a message that only a later provider can verify is that one's`() async throws {
        let registry = try registry(
            ("deaf", .deaf), ("distrustful", .refuses), ("hinting", .hint), ("sure", .notice),
            ("late", .notice))
        #expect(
            try await registry.events(from: message, in: environment).map(\.provider) == ["sure"])
    }

    @Test func `every hint is kept if nothing proves itself`() async throws {
        let registry = try registry(("a", .hint), ("distrustful", .refuses), ("b", .hint))
        #expect(
            try await registry.events(from: message, in: environment).map(\.provider) == ["a", "b"])
    }

    @Test func `the first refusal is thrown if there is neither`() async throws {
        let registry = try registry(("deaf", .deaf), ("x", .refuses), ("y", .refuses))
        let error = await #expect(throws: PushError.self) {
            try await registry.events(from: message, in: environment)
        }
        #expect(error?.provider == "x" && error?.reason == "Not x's.")
    }

    @Test func `each provider reads a message once, and what it read is what it verifies`()
        async throws
    {
        let readers = [Reader("a", .hint), Reader("b", .deaf), Reader("c", .notice)]
        let events = try await PluginRegistry(readers).events(from: message, in: environment)
        #expect(events.map(\.provider) == ["c"] && readers.map(\.readings) == [1, 1, 1])
    }

    @Test func `a message that nobody recognizes is the app's own`() async throws {
        let registry = try registry(("a", .deaf), ("b", .deaf))
        #expect(try await registry.events(from: message, in: environment).isEmpty)
    }

    @Test func `every offer is made, most preferred first`() throws {
        let registry = try registry(
            ("b", .notice), ("x", .refuses), ("deaf", .deaf), ("a", .notice))
        let offers = try registry.offers(for: .typed(text: "1"))
        #expect(offers.map(\.provider) == ["b", "a"])
    }

    @Test func `an invitation's first refusal is thrown only if nobody makes an offer`() throws {
        let refusing = try registry(("deaf", .deaf), ("x", .refuses), ("y", .refuses))
        let error = #expect(throws: PushError.self) { try refusing.offers(for: .typed(text: "1")) }
        #expect(error?.code == .invalidInvitation && error?.provider == "x")
        #expect(try registry(("a", .deaf)).offers(for: .typed(text: "1")).isEmpty)
    }
}
