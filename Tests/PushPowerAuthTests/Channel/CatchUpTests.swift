import PushCore
import PushPowerAuthSimulator
import PushTesting
import Testing

@testable import PushPowerAuth

@Suite struct CatchUpTests {
    let phone: PowerAuthHarness
    let id: Enrollment.ID

    init() async throws {
        phone = try await PowerAuthHarness()
        id = try await phone.activated()
    }

    /// Whatever checks a signature is out of order; the status is told all the time.
    private func outage(of exchanges: Int, by fault: FaultPlan.Fault) async throws {
        for _ in 0..<exchanges { await phone.fail(.validation, fault) }
        for _ in 0..<exchanges where await phone.faults.remaining > 0 {
            #expect(await code { try await phone.validate(.possession, of: id) } != nil)
        }
        try #require(await phone.faults.remaining == 0)
    }

    @Test(arguments: [FaultPlan.Fault.refuse, .dropBefore, .status(503)])
    func `a long outage of whatever lets the server follow doesn't lose the activation`(
        fault: FaultPlan.Fault
    ) async throws {
        try await outage(of: 40, by: fault)
        try await phone.validate(.pin(Customer.pin), of: id)
        #expect(try await phone.state(id) == .active)
        #expect(try await phone.simulator.activation(id.name).failedAttempts == 0)
        for _ in 0..<30 { try await phone.validate(.pin(Customer.pin), of: id) }
    }

    @Test func `where one more signature could lose the activation, none is made`() async throws {
        try await outage(of: 40, by: .refuse)
        let counter = try await phone.record(id).counter.byte
        #expect(counter < 20)
        await phone.fail(.validation, .refuse)
        #expect(await code { try await phone.validate(.pin(Customer.pin), of: id) } == .unreachable)
        #expect(try await phone.record(id).counter.byte == counter)
    }

    @Test func `a signature that arrived, and whose reply was lost, isn't sent again`() async throws
    {
        try await outage(of: 11, by: .refuse)
        await phone.fail(.validation, .dropAfter)
        _ = try? await phone.validate(.possession, of: id)
        for _ in 0..<40 { try await phone.validate(.pin(Customer.pin), of: id) }
        #expect(try await phone.state(id) == .active)
        #expect(try await phone.simulator.activation(id.name).failedAttempts == 0)
    }
}
