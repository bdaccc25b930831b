import Foundation
import PushCore
import PushTesting
import PushXignIn
import PushXignInSimulator
import Testing

/// Whole logins against the simulated manager, which was written apart from the plugin.
@Suite struct FlowTests {
    private let harness: SimulatedManagerHarness

    init() async throws { harness = try await SimulatedManagerHarness() }

    private var clock: ManualClock { harness.clock }
    private var simulator: XignInSimulator { harness.manager }
    private var keypad: Keypad { harness.keypad }
    private var authenticator: PushAuthenticator { harness.authenticator }
    private var faults: FaultPlan { harness.faults }

    /// Starts a login, and takes its push.
    private func login(
        spoiledBy fault: XignInSimulator.BadPush? = nil
    ) async throws -> (SimulatedLogin.ID, [Reception]) {
        let login = try await simulator.startLogin(
            of: "alice", asking: .confirm, spoiledBy: fault)
        var receptions: [Reception] = []
        for push in await simulator.takePushes() {
            receptions += try await authenticator.receive(push.message())
        }
        return (login.id, receptions)
    }

    private func open(_ receptions: [Reception]) async throws -> Challenge {
        try await authenticator.challenge(try #require(receptions.first?.challenge))
    }

    @Test func `a yes logs the user in`() async throws {
        let (login, receptions) = try await login()
        let challenge = try await open(receptions)
        #expect(try await authenticator.resolve(challenge, with: .approve) == .delivered)
        #expect(try await simulator.status(of: login) == .approved)
    }

    @Test func `a no keeps whoever asks out`() async throws {
        let (login, receptions) = try await login()
        let id = try #require(receptions.first?.challenge)
        #expect(try await authenticator.deny(id, .fraud) == .delivered)
        #expect(try await simulator.status(of: login) == .denied)
    }

    @Test func `a wrong PIN, then the right one`() async throws {
        let (login, receptions) = try await login()
        await keypad.type(WorkedExample.wrongPIN)
        guard
            case .notTaken(let refusal) = try await authenticator.resolve(
                open(receptions), with: .approve)
        else {
            Issue.record("A wrong PIN isn't taken.")
            return
        }
        #expect(refusal.mayRetry)
        await keypad.type(WorkedExample.pin)
        #expect(
            try await authenticator.resolve(open(receptions), with: .approve) == .delivered)
        #expect(try await simulator.status(of: login) == .approved)
    }

    @Test func `a lost reply is made good`() async throws {
        let (login, receptions) = try await login()
        let challenge = try await open(receptions)
        await faults.next(.dropAfter)
        guard case .unknown = try await authenticator.resolve(challenge, with: .approve) else {
            Issue.record("A lost reply is no word.")
            return
        }
        #expect(try await authenticator.resume() == [challenge.id: .delivered])
        #expect(try await simulator.status(of: login) == .approved)
    }

    @Test(arguments: [
        XignInSimulator.BadPush.wrongKey, .unknownKey, .unsigned, .type("JWT"),
        .tampered(claim: "pid", value: "prc-other"), .manager("idm-nobody"), .issuer("idm-other"),
        .activation("act-other"), .missing(claim: "pid"), .missing(claim: "exp"),
        .expired(ago: .seconds(60)),
    ])
    func `a bad push is nothing to approve`(fault: XignInSimulator.BadPush) async throws {
        // The manager's time, for the second time.
        #expect(try await authenticator.deviceTokenChanged(.fcm("heard")).isEmpty)
        _ = try? await login(spoiledBy: fault)
        #expect(try await authenticator.records().allSatisfy { $0.state != .open })
    }

    @Test(arguments: [XignInSimulator.BadPush.minimumVersion("2.0.0"), .message("later")])
    func `what only a newer app understands is told as such`(fault: XignInSimulator.BadPush)
        async throws
    {
        let (_, receptions) = try await login(spoiledBy: fault)
        guard case .incompatible = receptions.first?.kind else {
            Issue.record("It is incompatible.")
            return
        }
    }

    @Test func `a cancel that overtakes its announcement leaves nothing to show`() async throws {
        let (_, receptions) = try await login(spoiledBy: .withdrawnFirst)
        #expect(receptions.allSatisfy { if case .notice = $0.kind { false } else { true } })
    }

    @Test(arguments: [
        XignInSimulator.BadAnswer.unsigned, .wrongKey, .request("req-other"), .claimedStatus(409),
        .status(409), .audience("act-other"), .manager("idm-other"), .type("JWT"),
    ])
    func `a bad answer changes nothing`(fault: XignInSimulator.BadAnswer) async throws {
        let (login, receptions) = try await login()
        await simulator.spoil(by: fault, at: .start)
        await #expect(throws: PushError.self) { _ = try await open(receptions) }
        #expect(
            try await authenticator.resolve(open(receptions), with: .approve) == .delivered)
        #expect(try await simulator.status(of: login) == .approved)
    }

    @Test func `no token, no push`() async throws {
        #expect(try await authenticator.deviceTokenRemoved(of: .fcm).isEmpty)
        #expect(try await login().1.isEmpty)
    }
}
