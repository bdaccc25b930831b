import Foundation
import HTTPTypes
import PushCore
import PushPowerAuth
import PushPowerAuthSimulator
import PushTesting
import Testing

/// The status, and counters that parted: `docs/vendors/powerauth.md#the-counter`.
@Suite struct StatusCallTests {
    let bank = Bank()
    let phone: PowerAuthHarness
    let id: Enrollment.ID

    init() async throws {
        phone = try await PowerAuthHarness(of: bank)
        id = try await phone.activated()
    }

    private func refreshed() async throws -> Enrollment.State {
        try await phone.authenticator.refresh(id).state
    }

    /// Uses values up that the server never sees: answers to offline codes.
    private func spend(_ count: Int) async throws {
        for number in 0..<count {
            let code = try await bank.simulator.createOfflineCode(
                .init(operation: "spent-\(number)", title: "T", message: "M", data: "A2"),
                for: id.name)
            let message = PushMessage(text: code.text, by: .scanned)
            let notice = try #require(
                try await phone.authenticator.receive(message).compactMap(\.newNotice).first)
            let challenge = try await phone.authenticator.challenge(notice.id)
            _ = try await phone.authenticator.resolve(challenge, with: .approve)
        }
    }

    @Test func `every question has a challenge of its own`() async throws {
        for _ in 0..<4 { _ = try await refreshed() }
        var challenges: Set<String> = []
        for exchange in await bank.requests(.status) {
            let object = try JSON(parsing: exchange.body)["requestObject"]
            let challenge = try #require(object?["challenge"]?.string)
            #expect(Data(base64Encoded: challenge)?.count == 16)
            challenges.insert(challenge)
        }
        #expect(challenges.count == (await bank.count(.status)))
    }

    @Test func `attempts that are left are the maximum less the failed`() async throws {
        await phone.customer.type("0000")
        _ = try await phone.approve(try await bank.ask(), at: id)
        let status = try await phone.manager(id).status()
        #expect(status.state == .active)
        #expect(status.failedAttempts == 1)
        #expect(status.maximumAttempts == 5)
        #expect(status.remainingAttempts == 4)
    }

    // MARK: What nobody answers

    @Test(arguments: [
        FaultPlan.Fault.refuse, .dropBefore, .dropAfter, .status(500), .status(404), .truncate(10),
    ])
    func `a question that nobody answers changes nothing`(_ fault: FaultPlan.Fault) async throws {
        await phone.fail(.status, fault, times: 3)
        await #expect(throws: PushError.self) { _ = try await refreshed() }
        #expect(try await phone.state(id) == .active)
        #expect(try await phone.approve(try await bank.ask(), at: id) == .delivered)
    }

    // MARK: The table of synchronization

    @Test func `in step, nothing is done`() async throws {
        _ = try await phone.authenticator.pending(for: id)
        #expect(try await refreshed() == .active)
        #expect(await bank.count(.validation) == 0)
    }

    @Test(arguments: [1, 10])
    func `ahead by half of what is looked over at most, nothing is done`(
        _ steps: Int
    ) async throws {
        try await spend(steps)
        #expect(try await refreshed() == .active)
        #expect(await bank.count(.validation) == 0)
        #expect(try await phone.approve(try await bank.ask(), at: id) == .delivered)
    }

    @Test func `a server that was restored too far back is lost`() async throws {
        for _ in 0..<22 {
            #expect(try await phone.approve(try await bank.ask(), at: id) == .delivered)
        }
        try await bank.simulator.setCounter(of: id.name, to: 0)
        #expect(try await refreshed() == .needsReenrollment)
        #expect(try await phone.manager(id).status().state == .deadlock)
    }

    @Test func `a server that was restored a little back is looked over`() async throws {
        for _ in 0..<5 {
            #expect(try await phone.approve(try await bank.ask(), at: id) == .delivered)
        }
        try await bank.simulator.setCounter(of: id.name, to: 0)
        #expect(try await refreshed() == .active)
        #expect(try await phone.approve(try await bank.ask(), at: id) == .delivered)
    }

    @Test(arguments: [1, 19])
    func `a server that is ahead is followed, and the place is kept`(_ steps: Int) async throws {
        try await bank.simulator.setCounter(of: id.name, to: steps)
        #expect(try await refreshed() == .active)
        let again = try await phone.restarted()
        #expect(try await again.approve(try await bank.ask(), at: id) == .delivered)
        #expect(try await bank.record(id).failedAttempts == 0)
    }

    @Test(arguments: [20, 60, 127, 128, 200])
    func `a server that is ahead of what can be followed is lost`(_ steps: Int) async throws {
        try await bank.simulator.setCounter(of: id.name, to: steps)
        #expect(try await refreshed() == .needsReenrollment)
        #expect(try await phone.manager(id).status().state == .deadlock)
    }

    @Test func `the same number with another value is a lost one, too`() async throws {
        // 256 steps on, the byte is the same and the value isn't.
        try await bank.simulator.setCounter(of: id.name, to: 256)
        #expect(try await refreshed() == .needsReenrollment)
    }

    @Test func `the look-ahead is the server's own`() async throws {
        await bank.configure { $0.lookAhead = 64 }
        try await bank.simulator.setCounter(of: id.name, to: 60)
        #expect(try await refreshed() == .active)
        #expect(try await phone.approve(try await bank.ask(), at: id) == .delivered)
    }
}
