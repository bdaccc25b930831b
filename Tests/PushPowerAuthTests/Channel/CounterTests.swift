import Foundation
import PushCore
import PushPowerAuthSimulator
import PushTesting
import Testing

@testable import PushPowerAuth

@Suite struct CounterTests {
    let handset: Handset
    let id: Enrollment.ID

    init() async throws {
        handset = try await Handset()
        id = try await handset.activated()
    }

    private var channel: PowerAuthChannel { handset.provider.channel }

    @Test func `every signature has a value of its own, and the next is on record first`()
        async throws
    {
        let first = try await channel.takeCounter(of: id, .possession).counter
        #expect(try await handset.record(id).counter == first.next())
        let second = try await channel.takeCounter(of: id, .pin("1234")).counter
        #expect(second == first.next())
    }

    @Test func `two processes on one record never take one value`() async throws {
        let channels = [channel, handset.restarted.channel]
        let id = id
        let taken = try await withThrowingTaskGroup(of: [UInt8].self) { group in
            for number in 0..<40 {
                let channel = channels[number % 2]
                group.addTask {
                    try await channel.takeCounter(of: id, .possession).counter.data
                        .withBytes { Array($0) }
                }
            }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(taken.count == 40)
        #expect(try await handset.record(id).counter.byte == 40)
    }

    @Test func `nothing is sent if the counter can't be kept`() async throws {
        await handset.store.refuseWrites { _ in PushError(.storage, "Full.") }
        let sent = await handset.transport.exchanges.count
        #expect(await code { try await handset.validate(.pin("1234"), of: id) } == .storage)
        #expect(await handset.transport.exchanges.count == sent)
    }

    @Test func `a request that never left leaves a gap, which the server looks over`()
        async throws
    {
        await handset.fail(.validation, .refuse)
        #expect(await code { try await handset.validate(.pin("1234"), of: id) } == .unreachable)
        _ = try await channel.takeCounter(of: id, .possession)
        try await handset.validate(.pin("1234"), of: id)
        let known = try await handset.simulator.activation(id.name)
        #expect(known.failedAttempts == 0)
        #expect(known.counter == 3)
    }

    @Test func `a long series of failures doesn't lead beyond what the server looks over`()
        async throws
    {
        for _ in 0..<30 {
            await handset.fail(.validation, .refuse)
            _ = await code { try await handset.validate(.possession, of: id) }
        }
        try await handset.validate(.pin("1234"), of: id)
        #expect(try await handset.state(id) == .active)
    }

    @Test(arguments: [(1, 1), (2, 1), (4, 2), (20, 8), (64, 8)])
    func `how far the counter runs ahead follows from what the server tries`(
        _ lookAhead: Int, _ lead: Int
    ) async throws {
        var record = try await handset.record(id)
        record.lookAhead = lookAhead
        record = try PowerAuthRecord(record.sealed)
        #expect(record.lookAhead == lookAhead)
        #expect(record.maximumLead == lead)
        #expect(record.mayRunAhead)
        record.ahead = max(1, lookAhead - 1)
        #expect(!record.mayRunAhead)
    }

    @Test func `a server that tries fewer values is asked sooner`() async throws {
        for lookAhead in [20, 4] {
            await handset.simulator.configure { $0.lookAhead = lookAhead }
            _ = try await handset.authenticator.refresh(id)
            let asked = await handset.calls(.status)
            for _ in 0..<2 { _ = try await channel.takeCounter(of: id, .possession) }
            try await handset.validate(.pin("1234"), of: id)
            #expect(await handset.calls(.status) == asked + (lookAhead == 4 ? 1 : 0))
        }
    }

    @Test func `a record of before the look-ahead was kept is read`() async throws {
        let sealed = try SecretRecord(reading: try await handset.record(id).sealed)
        var fields = sealed.fields
        fields["lookAhead"] = nil
        let older = SecretRecord(fields: fields, secrets: sealed.secrets).sealed
        #expect(try PowerAuthRecord(older).lookAhead == 20)
        fields["lookAhead"] = 65
        let damaged = SecretRecord(fields: fields, secrets: sealed.secrets).sealed
        #expect(throws: PushError.self) { try PowerAuthRecord(damaged) }
    }

    @Test func `a long series of successes asks nothing else`() async throws {
        let asked = await handset.calls(.status)
        for _ in 0..<30 { try await handset.validate(.possession, of: id) }
        #expect(await handset.calls(.status) == asked)
        #expect(await handset.calls(.validation) == 30)
    }

    @Test func `a PIN that another process changed meanwhile doesn't use up a value`() async throws
    {
        var record = try await handset.record(id)
        let old = try #require(record.locked?.knowledge)
        let stretched = try await PINLock.Stretched(Secret("1234".utf8), for: old)
        try await handset.manager(id).changePIN(
            from: Secret("1234".utf8), to: Secret("5678".utf8))
        record = try await handset.record(id)
        #expect(try record.keys(for: .pin("1234"), pin: stretched) == nil)
    }

    @Test func `a state in which the server takes no signature makes none`() async throws {
        try await handset.simulator.block(id.name)
        _ = try await handset.authenticator.refresh(id)
        let counter = try await handset.record(id).counter
        #expect(
            await code {
                try await channel.signedHeader(
                    for: id, uriID: "/x", body: Data(), factors: .pin("1234"))
            } == .blocked)
        #expect(await code { try await handset.validate(.pin("1234"), of: id) } == .blocked)
        #expect(try await handset.record(id).counter == counter)
        #expect(await handset.calls(.validation) == 0)
    }
}
