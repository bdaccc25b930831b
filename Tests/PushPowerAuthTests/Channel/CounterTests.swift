import Foundation
import PushCore
import PushPowerAuthSimulator
import PushTesting
import Testing

@testable import PushPowerAuth

@Suite struct CounterTests {
    let phone: PowerAuthHarness
    let id: Enrollment.ID

    init() async throws {
        phone = try await PowerAuthHarness()
        id = try await phone.activated()
    }

    private var channel: PowerAuthChannel { phone.provider.channel }

    @Test func `every signature has a value of its own, and the next is on record first`()
        async throws
    {
        let first = try await phone.takeCounter(of: id)
        #expect(try await phone.record(id).counter == first.next())
        let second = try await phone.takeCounter(of: id, .pin(Customer.pin))
        #expect(second == first.next())
    }

    @Test func `two processes on one record never take one value`() async throws {
        let channels = [channel, phone.anotherProvider().channel]
        let id = id
        let taken = try await withThrowingTaskGroup(of: [UInt8].self) { group in
            for number in 0..<40 {
                let channel = channels[number % 2]
                group.addTask {
                    let account = try await channel.accounts.existing(id)
                    return try await channel.takeCounter(of: account, .possession).counter.data
                        .array
                }
            }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(taken.count == 40)
        #expect(try await phone.record(id).counter.byte == 40)
    }

    @Test func `nothing is sent if the counter can't be kept`() async throws {
        await phone.disk.refuseWrites { _ in PushError(.storage, "Full.") }
        let sent = await phone.transport.exchanges.count
        #expect(await code { try await phone.validate(.pin(Customer.pin), of: id) } == .storage)
        #expect(await phone.transport.exchanges.count == sent)
    }

    @Test func `a request that never left leaves a gap, which the server looks over`()
        async throws
    {
        await phone.fail(.validation, .refuse)
        #expect(await code { try await phone.validate(.pin(Customer.pin), of: id) } == .unreachable)
        try await phone.takeCounter(of: id)
        try await phone.validate(.pin(Customer.pin), of: id)
        let known = try await phone.simulator.activation(id.name)
        #expect(known.failedAttempts == 0)
        #expect(known.counter == 3)
    }

    @Test func `a long series of failures doesn't lead beyond what the server looks over`()
        async throws
    {
        for _ in 0..<30 {
            await phone.fail(.validation, .refuse)
            _ = await code { try await phone.validate(.possession, of: id) }
        }
        try await phone.validate(.pin(Customer.pin), of: id)
        #expect(try await phone.state(id) == .active)
    }

    @Test(arguments: [(1, 1), (2, 1), (4, 2), (20, 8), (64, 8)])
    func `how far the counter runs ahead follows from what the server tries`(
        _ lookAhead: Int, _ lead: Int
    ) async throws {
        var record = try await phone.record(id)
        record.lookAhead = lookAhead
        record = try PowerAuthRecord(reading: record.sealed)
        #expect(record.lookAhead == lookAhead)
        #expect(record.maximumLead == lead)
        #expect(record.mayRunAhead)
        record.ahead = max(1, lookAhead - 1)
        #expect(!record.mayRunAhead)
    }

    @Test func `a server that tries fewer values is asked sooner`() async throws {
        for lookAhead in [20, 4] {
            await phone.simulator.configure { $0.lookAhead = lookAhead }
            _ = try await phone.authenticator.refresh(id)
            let asked = await phone.calls(.status)
            for _ in 0..<2 { try await phone.takeCounter(of: id) }
            try await phone.validate(.pin(Customer.pin), of: id)
            #expect(await phone.calls(.status) == asked + (lookAhead == 4 ? 1 : 0))
        }
    }

    @Test func `a record of before the look-ahead was kept is read`() async throws {
        let sealed = try Secret.Record(reading: try await phone.record(id).sealed)
        var fields = sealed.fields
        fields["lookAhead"] = nil
        let older = Secret.Record(fields: fields, secrets: sealed.secrets).sealed
        #expect(try PowerAuthRecord(reading: older).lookAhead == 20)
        fields["lookAhead"] = 65
        let damaged = Secret.Record(fields: fields, secrets: sealed.secrets).sealed
        #expect(throws: PushError.self) { try PowerAuthRecord(reading: damaged) }
    }

    @Test func `a long series of successes asks nothing else`() async throws {
        let asked = await phone.calls(.status)
        for _ in 0..<30 { try await phone.validate(.possession, of: id) }
        #expect(await phone.calls(.status) == asked)
        #expect(await phone.calls(.validation) == 30)
    }

    @Test func `a PIN that another process changed meanwhile doesn't use up a value`() async throws
    {
        var record = try await phone.record(id)
        let old = try #require(record.locked?.knowledge)
        let stretched = try await PINLock.Stretched(Secret(Customer.pin.utf8), for: old)
        try await phone.manager(id).changePIN(
            from: Secret(Customer.pin.utf8), to: Secret("5678".utf8))
        record = try await phone.record(id)
        #expect(try record.keys(for: .pin(Customer.pin), pin: stretched) == nil)
    }

    @Test func `a PIN that another process changed while it was stretched is stretched again`()
        async throws
    {
        let before = try await phone.account(id)
        try await phone.manager(id).changePIN(
            from: Secret(Customer.pin.utf8), to: Secret("5678".utf8))
        try await channel.validate(.pin("5678"), of: before)
        #expect(try await phone.simulator.activation(id.name).failedAttempts == 0)
    }

    @Test func `a state in which the server takes no signature makes none`() async throws {
        try await phone.simulator.block(id.name)
        _ = try await phone.authenticator.refresh(id)
        let counter = try await phone.record(id).counter
        #expect(
            await code {
                try await channel.signature(
                    of: SignedData(.validate, Data()), for: try await phone.account(id),
                    .pin(Customer.pin))
            } == .blocked)
        #expect(await code { try await phone.validate(.pin(Customer.pin), of: id) } == .blocked)
        #expect(try await phone.record(id).counter == counter)
        #expect(await phone.calls(.validation) == 0)
    }
}
