import Foundation
import PushCore
import PushPowerAuthSimulator
import PushTesting
import Testing

@testable import PushPowerAuth

@Suite struct RemovalTests {
    let phone: PowerAuthHarness
    let id: Enrollment.ID

    init() async throws {
        phone = try await PowerAuthHarness()
        id = try await phone.activated()
    }

    private func remove() async throws { try await phone.authenticator.remove(id) }

    private var isHere: Bool {
        get async throws { try await phone.authenticator.enrollment(id) != nil }
    }

    private var serverState: PowerAuthSimulator.ActivationState {
        get async throws { try await phone.simulator.activation(id.name).state }
    }

    @Test func `the user is asked, and both sides forget`() async throws {
        try await remove()
        #expect(try await serverState == .removed)
        #expect(try await !isHere)
        let request = try #require(await phone.customer.requests.last)
        #expect(request.alternatives == [[.pin]])
        guard case .manage(id, _) = request.purpose else {
            Issue.record("It was asked for something else.")
            return
        }
    }

    @Test func `a wrong PIN removes nothing, and says how many attempts are left`() async throws {
        await phone.customer.type("9999")
        #expect(await attemptsLeft { try await remove() } == 4)
        #expect(try await serverState == .active)
        #expect(try await isHere)
        await phone.customer.type(Customer.pin)
        try await remove()
        #expect(try await !isHere)
    }

    @Test func `a user who gives up keeps it`() async throws {
        await phone.customer.leave()
        #expect(await code { try await remove() } == .cancelled)
        #expect(try await serverState == .active)
        #expect(try await isHere)
    }

    @Test func `a server that can't be reached keeps it, and removing it again works`()
        async throws
    {
        await phone.fail(.status, .refuse)
        #expect(await code { try await remove() } == .unreachable)
        #expect(try await isHere)
        try await remove()
        #expect(try await serverState == .removed)
    }

    @Test func `after a lost reply, removing it again ends it without the user`() async throws {
        await phone.fail(.removal, .dropAfter)
        #expect(await code { try await remove() } == .interrupted)
        #expect(try await isHere)
        let asked = await phone.customer.requests.count
        try await remove()
        #expect(try await !isHere)
        #expect(await phone.customer.requests.count == asked)
    }

    @Test func `what the server has removed is forgotten without the user`() async throws {
        let asked = await phone.customer.requests.count
        try await phone.simulator.remove(id.name)
        try await remove()
        #expect(try await !isHere)
        #expect(await phone.customer.requests.count == asked)
    }

    @Test(arguments: [true, false])
    func `one whose counters have parted for good goes from the device, and the error says so`(
        _ isKnown: Bool
    ) async throws {
        for _ in 0..<21 {
            try await phone.takeCounter(of: id)
        }
        if isKnown {
            #expect(try await phone.authenticator.refresh(id).state == .needsReenrollment)
        }
        let error = await #expect(throws: PushError.self) { try await remove() }
        #expect(error?.code == .blocked)
        #expect(error?.reason.hasPrefix("Removed here") == true)
        #expect(try await !isHere)
    }

    @Test func `what only seemed to be lost is removed at the server, too`() async throws {
        await phone.simulator.spoil(by: .randomBlob, at: .status, times: 2)
        #expect(try await phone.authenticator.refresh(id).state == .needsReenrollment)
        try await remove()
        #expect(try await serverState == .removed)
        #expect(try await !isHere)
    }

    @Test func `what the server doesn't know is forgotten without the user`() async throws {
        let asked = await phone.customer.requests.count
        await phone.simulator.spoil(by: .randomBlob, at: .status, times: 2)
        try await remove()
        #expect(try await !isHere)
        #expect(await phone.customer.requests.count == asked)
    }

    @Test func `a blocked one goes from the device, and the error says so`() async throws {
        try await phone.simulator.block(id.name)
        let error = await #expect(throws: PushError.self) { try await remove() }
        #expect(error?.code == .blocked)
        #expect(error?.reason.hasPrefix("Removed here") == true)
        #expect(try await !isHere)
        #expect(try await serverState == .blocked)
        #expect(await phone.calls(.removal) == 0)
    }

    @Test func `one that isn't committed goes from the device`() async throws {
        let other = try await phone.enroll().id
        try await phone.authenticator.remove(other)
        #expect(try await phone.authenticator.enrollment(other) == nil)
        #expect(await phone.calls(.removal) == 0)
    }

    @Test func `a damaged record goes, and the error says so`() async throws {
        try await phone.account(id).change { (record: inout Secret, _) in
            record = Secret([1, 2, 3])
        }
        #expect(await code { try await remove() } == .malformed)
        #expect(try await !isHere)
    }

    @Test func `a finger may take the PIN's place`() async throws {
        let finger = Secret(Array(repeating: 9, count: 16))
        await phone.customer.lay(finger: finger)
        let other = try await phone.activated()
        try await phone.authenticator.remove(other)
        #expect(try await phone.simulator.activation(other.name).state == .removed)
        #expect(await phone.customer.requests.last?.alternatives == [[.pin], [.biometry]])
    }
}
