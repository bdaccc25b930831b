import Foundation
import PushCore
import PushTesting
import Testing

@testable import FictionalVendor

/// An enrollment that is made again under its name, and what stays of the old one.
struct ReplacingTests {
    private let harness = AuthenticatorHarness()

    private var acme: RicherAcme {
        var acme = RicherAcme(in: harness.environment)
        acme.enrollsAgain = true
        return acme
    }

    @Test func `it waits for what is under way of the old one, and what comes next waits for it`()
        async throws
    {
        let authenticator = try await harness.enrolled(at: acme)
        let (asking, enrolling) = (Gate(), Gate())
        await harness.server.hold("/pending", at: asking)
        await harness.server.hold("/enroll", at: enrolling)
        async let list = authenticator.pending(for: .ada)
        await asking.arrival()
        async let made = authenticator.join("ada")
        try await eventually("It waits for its turn.") {
            await authenticator.waitingForTurn(of: .ada).first == 1
        }
        #expect(await harness.server.requests["/enroll"] == 1)
        await asking.open()
        _ = try await list
        await enrolling.arrival()
        _ = try await authenticator.receive(try AcmeWire.ask("1"))
        async let answer = authenticator.deny(.ada("1"))
        try await eventually("The answer waits.") {
            await authenticator.waitingForTurn(of: .ada).first == 1
        }
        #expect(await harness.server.answers.isEmpty)
        await enrolling.open()
        #expect(try await made.issuer == "Acme again")
        #expect(try await answer == .delivered)
    }

    @Test func `the token that the app gave it alone stays, and is handed over`() async throws {
        let authenticator = try await harness.enrolled(at: acme)
        try await authenticator.deviceTokenChanged(.fcm("shared"))
        try await authenticator.deviceTokenChanged(.fcm("own"), for: .ada)
        #expect(try await authenticator.join("ada").deviceToken == .fcm("own"))
        #expect(try await authenticator.deviceTokenState(of: .ada) == .current)
        try await authenticator.deviceTokenChanged(.fcm("newer"))
        #expect(try await authenticator.enrollment(.ada)?.deviceToken == .fcm("own"))
    }

    @Test func `what is open of it stays open`() async throws {
        let authenticator = try await harness.enrolled(at: acme)
        _ = try await authenticator.receive(try AcmeWire.ask("1"))
        _ = try await authenticator.join("ada")
        #expect(try await authenticator.record(of: .ada("1"))?.state == .open)
        #expect(try await authenticator.enrollments().map(\.issuer) == ["Acme again"])
    }

    @Test(arguments: [FaultPlan.Fault.refuse, .dropBefore, .dropAfter])
    func `without the vendor's word the old one is whole`(fault: FaultPlan.Fault) async throws {
        let authenticator = try await harness.enrolled(at: acme)
        let before = try await harness.rawStore()
        await harness.faults.next(fault)
        #expect(await code { try await authenticator.join("ada") } != nil)
        #expect(try await harness.rawStore() == before)
        #expect(try await authenticator.receive(try AcmeWire.ask("1")).map(\.isNew) == [true])
    }

    @Test(arguments: 0..<4, Cord.Moment.allCases)
    func `a process that is killed on the way leaves the old one or the new one, whole`(
        number: Int, moment: Cord.Moment
    ) async throws {
        let first = try await harness.enrolled(at: acme)
        try await first.deviceTokenChanged(.fcm("own"), for: .ada)
        let cord = Cord()
        let world = harness.environment
        let environment = PushEnvironment(
            transport: CordedTransport(cord: cord, behind: harness.transport),
            store: CordedStore(cord: cord, behind: harness.store), verifier: harness.verifier,
            clock: harness.clock, device: world.device)
        var dying = RicherAcme(in: environment)
        dying.enrollsAgain = true
        await cord.cut(moment, number: number)
        _ = try? await PushAuthenticator(
            try PluginRegistry([dying]), in: environment, configuration: AuthenticatorHarness.quiet
        ).join("ada")
        let later = try harness.authenticator(of: acme)
        let kept = try #require(try await later.enrollment(.ada))
        #expect(kept.issuer == "Acme" || kept.issuer == "Acme again")
        #expect(kept.deviceToken == .fcm("own"))
        #expect(try await later.deviceTokenState(of: .ada) == .current)
        #expect(try await later.receive(try AcmeWire.ask("1")).map(\.isNew) == [true])
        #expect(try await later.deny(.ada("1")) == .delivered)
    }

    @Test func `of one that was removed, no token is left for its successor`()
        async throws
    {
        let authenticator = try await harness.enrolled(at: acme)
        try await authenticator.deviceTokenChanged(.fcm("own"), for: .ada)
        try await harness.environment.accounts(for: "acme").delete(.ada)
        #expect(try await authenticator.join("ada").deviceToken == nil)
        #expect(try await authenticator.deviceTokenState(of: .ada) == .current)
    }

    // MARK: An invitation's time

    @Test func `an invitation whose time is over enrolls nothing, and sends nothing`()
        async throws
    {
        var acme = RicherAcme(in: harness.environment)
        acme.lifetime = .seconds(60)
        let authenticator = try harness.authenticator(of: acme)
        let late = try #require(try authenticator.offers(for: .scanned(text: "acme:ada")).first)
        harness.clock.advance(by: .seconds(61))
        #expect(await code { try await authenticator.enroll(late) } == .invitationSpent)
        #expect(await harness.transport.exchanges.isEmpty)
        let timely = try #require(try authenticator.offers(for: .scanned(text: "acme:ada")).first)
        harness.clock.advance(by: .seconds(60))
        #expect(try await authenticator.enroll(timely).state == .active)
    }

    @Test func `a user who takes too long over the proof enrolls nothing`() async throws {
        let clock = ManualClock(morning)
        let store = InMemoryStore()
        let slow = ScriptedVerifier { _ in
            clock.advance(by: .seconds(61))
            return [.presence]
        }
        let environment = PushEnvironment(
            transport: harness.transport, store: store, verifier: slow, clock: clock,
            device: Device(name: "test"))
        var acme = RicherAcme(.init(asks: [[.presence]]), in: environment)
        acme.lifetime = .seconds(60)
        let authenticator = PushAuthenticator(try PluginRegistry([acme]), in: environment)
        #expect(await code { try await authenticator.join("ada") } == .invitationSpent)
        #expect(await harness.transport.exchanges.isEmpty)
        #expect(await store.count == 0)
    }

    // MARK: Without a device token

    @Test func `an enrollment that takes no device token is told none, and nothing is wrong`()
        async throws
    {
        var acme = RicherAcme(in: harness.environment)
        acme.takesDeviceToken = false
        let authenticator = try await harness.enrolled(at: acme)
        #expect(try await authenticator.deviceTokenChanged(.fcm("t1")).isEmpty)
        #expect(await harness.server.tokenLog.isEmpty)
        #expect(try await authenticator.deviceTokenStates() == [.ada: .current])
        #expect(try await authenticator.enrollment(.ada)?.takesDeviceToken == false)
        #expect(
            await code { try await authenticator.deviceTokenChanged(.fcm("own"), for: .ada) }
                == .unsupported)
        try await authenticator.resume()
        #expect(await harness.server.tokenLog.isEmpty)
        #expect(harness.observer.observations.isEmpty)
    }
}
