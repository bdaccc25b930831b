import Foundation
import PushCore
import PushPowerAuthSimulator
import PushTesting
import Testing

@testable import PushPowerAuth

@Suite struct RemovalTests {
    let handset: Handset
    let id: Enrollment.ID

    init() async throws {
        handset = try await Handset()
        id = try await handset.activated()
    }

    private func remove() async throws { try await handset.authenticator.remove(id) }

    private var isHere: Bool {
        get async throws { try await handset.authenticator.enrollment(id) != nil }
    }

    private var serverState: PowerAuthSimulator.ActivationState {
        get async throws { try await handset.simulator.activation(id.name).state }
    }

    @Test func `the user is asked, and both sides forget`() async throws {
        try await remove()
        #expect(try await serverState == .removed)
        #expect(try await !isHere)
        let request = try #require(await handset.keypad.requests.last)
        #expect(request.alternatives == [[.pin]])
        guard case .manage(id, _) = request.purpose else {
            Issue.record("It was asked for something else.")
            return
        }
    }

    @Test func `a wrong PIN removes nothing, and says how many attempts are left`() async throws {
        await handset.keypad.type(pin: "9999")
        #expect(await attemptsLeft { try await remove() } == 4)
        #expect(try await serverState == .active)
        #expect(try await isHere)
        await handset.keypad.type(pin: "1234")
        try await remove()
        #expect(try await !isHere)
    }

    @Test func `a user who gives up keeps it`() async throws {
        await handset.keypad.giveUp()
        #expect(await code { try await remove() } == .cancelled)
        #expect(try await serverState == .active)
        #expect(try await isHere)
    }

    @Test func `a server that can't be reached keeps it, and removing it again works`()
        async throws
    {
        await handset.fail(.status, .refuse)
        #expect(await code { try await remove() } == .unreachable)
        #expect(try await isHere)
        try await remove()
        #expect(try await serverState == .removed)
    }

    @Test func `after a lost reply, removing it again ends it without the user`() async throws {
        await handset.fail(.removal, .dropAfter)
        #expect(await code { try await remove() } == .interrupted)
        #expect(try await isHere)
        let asked = await handset.keypad.requests.count
        try await remove()
        #expect(try await !isHere)
        #expect(await handset.keypad.requests.count == asked)
    }

    @Test func `what the server has removed is forgotten without the user`() async throws {
        let asked = await handset.keypad.requests.count
        try await handset.simulator.remove(id.name)
        try await remove()
        #expect(try await !isHere)
        #expect(await handset.keypad.requests.count == asked)
    }

    @Test(arguments: [true, false])
    func `one whose counters have parted for good goes from the device, and the error says so`(
        _ isKnown: Bool
    ) async throws {
        for _ in 0..<21 {
            _ = try await handset.provider.channel.takeCounter(of: id, .possession)
        }
        if isKnown {
            #expect(try await handset.authenticator.refresh(id).state == .needsReenrollment)
        }
        let error = await #expect(throws: PushError.self) { try await remove() }
        #expect(error?.code == .blocked)
        #expect(error?.reason.hasPrefix("Removed here") == true)
        #expect(try await !isHere)
    }

    @Test func `what only seemed to be lost is removed at the server, too`() async throws {
        await handset.simulator.spoil(by: .randomBlob, at: .status, times: 2)
        #expect(try await handset.authenticator.refresh(id).state == .needsReenrollment)
        try await remove()
        #expect(try await serverState == .removed)
        #expect(try await !isHere)
    }

    @Test func `what the server doesn't know is forgotten without the user`() async throws {
        let asked = await handset.keypad.requests.count
        await handset.simulator.spoil(by: .randomBlob, at: .status, times: 2)
        try await remove()
        #expect(try await !isHere)
        #expect(await handset.keypad.requests.count == asked)
    }

    @Test func `a blocked one goes from the device, and the error says so`() async throws {
        try await handset.simulator.block(id.name)
        let error = await #expect(throws: PushError.self) { try await remove() }
        #expect(error?.code == .blocked)
        #expect(error?.reason.hasPrefix("Removed here") == true)
        #expect(try await !isHere)
        #expect(try await serverState == .blocked)
        #expect(await handset.calls(.removal) == 0)
    }

    @Test func `one that isn't committed goes from the device`() async throws {
        let other = try await handset.enrolled().id
        try await handset.authenticator.remove(other)
        #expect(try await handset.authenticator.enrollment(other) == nil)
        #expect(await handset.calls(.removal) == 0)
    }

    @Test func `a damaged record goes, and the error says so`() async throws {
        try await handset.provider.channel.vault.update(id) { $0.secret = Secret([1, 2, 3]) }
        #expect(await code { try await remove() } == .malformed)
        #expect(try await !isHere)
    }

    @Test func `a finger may take the PIN's place`() async throws {
        let finger = Secret(Array(repeating: 9, count: 16))
        await handset.keypad.lay(finger: finger)
        let other = try await handset.activated()
        try await handset.authenticator.remove(other)
        #expect(try await handset.simulator.activation(other.name).state == .removed)
        #expect(await handset.keypad.requests.last?.alternatives == [[.pin], [.biometry]])
    }
}
