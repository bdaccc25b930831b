import Foundation
import PushTesting
import Testing

@testable import FictionalVendor
@testable import PushCore

/// What is over is forgotten by the day on which it expired, where the store makes several changes at once.
@Suite(.timeLimit(.minutes(5))) struct ForgettingByDayTests {
    private static let day = Duration.seconds(86_400)
    private let shared = InMemoryStore([.atomic, .shared])
    private let harness: AuthenticatorHarness

    init() {
        harness = AuthenticatorHarness(store: shared)
    }

    /// A process at a server whose time runs with its own.
    private func machine(
        age: Duration = Self.day * 3, count: Int = 500
    ) async throws -> Machine {
        let machine = try harness.machine("one") {
            $0.retention = Retention(age: age, count: count)
        }
        let clock = machine.clock
        await harness.server.tell { morning + clock.elapsed.inSeconds }
        _ = try await machine.authenticator.join("ada")
        return machine
    }

    private func answer(_ id: String, expiry: Date? = morning + 60, at machine: Machine)
        async throws
    {
        _ = try await machine.authenticator.receive(try AcmeWire.ask(id, expiry: expiry))
        #expect(try await machine.authenticator.deny(.ada(id)) == .delivered)
    }

    /// Lets days pass, learns the server's time, and does what a process does from time to time.
    private func pass(_ days: Int, _ machine: Machine) async throws {
        for _ in 0..<days {
            machine.clock.advance(by: Self.day)
            _ = try await machine.authenticator.pending()
            _ = try await machine.authenticator.resume()
        }
    }

    private func rows() async throws -> [String] {
        try await shared.names(in: Ledger.collection).compactMap { Ledger.id(named: $0)?.name }
            .sorted()
    }

    private func days() async throws -> [Int] {
        var days: [Int] = []
        let first = OverEntry.dayNumber(morning)
        for day in first - 100...first + 100 {
            let names = try await shared.names(in: OverEntry.collection(of: day))
            days += names.map { _ in day - first }
        }
        return days
    }

    @Test func `what was answered is forgotten after its age, not before`() async throws {
        let machine = try await machine()
        _ = try await machine.authenticator.resume()
        try await answer("1", at: machine)
        #expect(try await days() == [0])
        try await pass(3, machine)
        #expect(try await rows() == ["1"])
        try await pass(1, machine)
        #expect(try await rows().isEmpty)
        #expect(try await days().isEmpty)
    }

    @Test func `each is read once, on the day after its age, and no other`() async throws {
        let machine = try await machine()
        _ = try await machine.authenticator.resume()
        for number in 0..<5 { try await answer("1.\(number)", at: machine) }
        try await pass(1, machine)
        for number in 0..<50 {
            try await answer("2.\(number)", expiry: morning + 86_500, at: machine)
        }
        func reads() async throws -> Int {
            let before = await machine.store.reads
            try await pass(1, machine)
            return await machine.store.reads - before
        }
        let idle = try await reads()
        #expect(try await reads() == idle)
        #expect(try await rows().count == 55)
        // Five entries, five rows, and each once more to forget it.
        let first = try await reads()
        #expect(first <= idle + 5 + 5 + 10 + 1, "\(first), \(idle)")
        #expect(try await rows().count == 50)
        try await pass(1, machine)
        #expect(try await rows().isEmpty)
        #expect(try await reads() == idle)
    }

    @Test func `a wall clock that jumps makes nothing be forgotten that hasn't expired`()
        async throws
    {
        let machine = try await machine()
        _ = try await machine.authenticator.resume()
        try await answer("1", at: machine)
        machine.clock.set(morning + 20 * 86_400)
        _ = try await machine.authenticator.pending()
        _ = try await machine.authenticator.resume()
        #expect(try await rows() == ["1"])
        machine.clock.set(morning)
        // It is forgotten all the same, once its time has really come.
        try await pass(25, machine)
        #expect(try await rows().isEmpty)
    }

    @Test func `what a server's clock doesn't judge yet is looked at again the next day`()
        async throws
    {
        let machine = try await machine()
        _ = try await machine.authenticator.resume()
        try await answer("1", at: machine)
        let second = try harness.machine("two", clock: ManualClock(morning + 4.5 * 86_400)) {
            $0.retention = Retention(age: Self.day * 3)
        }
        await harness.server.tell { nil }
        _ = try await second.authenticator.resume()
        #expect(try await rows() == ["1"])
        let clock = second.clock
        await harness.server.tell { morning + 4.5 * 86_400 + clock.elapsed.inSeconds }
        try await pass(1, second)
        try await pass(1, second)
        #expect(try await rows().isEmpty)
    }

    @Test func `rows of before there were days are looked through once, and then have theirs`()
        async throws
    {
        let machine = try await machine()
        try await answer("old", at: machine)
        try await answer("young", expiry: morning + 2 * 86_400, at: machine)
        for day in [0, 2] {
            let collection = OverEntry.collection(of: OverEntry.dayNumber(morning) + day)
            for name in try await shared.names(in: collection) {
                let key = RecordKey(collection, name)
                let revision = try await shared.read(key)?.revision
                try await shared.write(nil, for: key, replacing: revision)
            }
        }
        // What the version before has left.
        try await shared.write(
            secret("\(OverEntry.dayNumber(morning))"), for: RecordKey("over", "day"), replacing: nil
        )
        #expect(try await days().isEmpty)
        try await pass(4, machine)
        #expect(try await rows() == ["young"])
        #expect(try await days() == [2])
        try await pass(3, machine)
        #expect(try await rows().isEmpty)
    }

    @Test func `a wall clock of another millennium makes no long walk`() async throws {
        let machine = try await machine(age: Self.day * 300, count: 3)
        _ = try await machine.authenticator.resume()
        for number in 1...6 { try await answer("\(number)", at: machine) }
        machine.clock.set(morning + 8000 * 365 * 86_400)
        let before = await machine.store.trips
        _ = try await machine.authenticator.resume()
        #expect(await machine.store.trips - before < 2000)
        #expect(try await rows() == ["1", "2", "3", "4", "5", "6"])
    }

    @Test(arguments: [Int64.max, .min])
    func `a day on record that is none traps nobody, and loses nothing`(next: Int64) async throws {
        let machine = try await machine()
        _ = try await machine.authenticator.resume()
        try await answer("1", at: machine)
        let lie = SecretRecord(fields: ["day": 0, "next": .integer(next)]).sealed
        _ = try await shared.replace(RecordKey("over", "day")) { _ in lie }
        _ = try await machine.authenticator.resume()
        #expect(try await rows() == ["1"])
    }

    @Test func `of what is over the newest are remembered, up to the count`() async throws {
        let machine = try await machine(age: Self.day * 300, count: 3)
        _ = try await machine.authenticator.resume()
        for number in 1...6 {
            try await answer("\(number)", expiry: morning + 600, at: machine)
            machine.clock.advance(by: .seconds(1))
        }
        _ = try await machine.authenticator.receive(try AcmeWire.ask("open"))
        try await pass(1, machine)
        #expect(try await rows() == ["4", "5", "6", "open"])
        try await pass(3, machine)
        #expect(try await rows() == ["4", "5", "6", "open"])
    }

    @Test func `a challenge that was cancelled before it came is kept until it can't come`()
        async throws
    {
        let machine = try await machine()
        _ = try await machine.authenticator.resume()
        _ = try await machine.authenticator.receive(try AcmeWire.cancel("1"))
        #expect(try await days() == [0])
        try await pass(4, machine)
        #expect(
            try await machine.authenticator.receive(try AcmeWire.ask("1")).map(\.isWaiting)
                == [false])
        try await pass(6, machine)
        #expect(try await rows().isEmpty)
    }

    @Test func `an entry that names too much is taken out, and takes nothing along`() async throws {
        let machine = try await machine()
        _ = try await machine.authenticator.resume()
        _ = try await machine.authenticator.receive(try AcmeWire.ask("open"))
        for name in ["open", "gone"] {
            try await shared.commit([
                .create(
                    OverEntry.key(.ada(name), day: OverEntry.dayNumber(morning)), OverEntry.value)
            ])
        }
        await shared.damage(OverEntry.key(.ada("damaged"), day: OverEntry.dayNumber(morning)))
        try await pass(5, machine)
        #expect(try await rows() == ["open"])
        #expect(try await days().isEmpty)
        #expect(try await machine.authenticator.deny(.ada("open")) == .delivered)
    }

    @Test func `an entry that is there already keeps no answer back`() async throws {
        let machine = try await machine()
        _ = try await machine.authenticator.receive(try AcmeWire.ask("1"))
        try await shared.commit([
            .create(OverEntry.key(.ada("1"), day: OverEntry.dayNumber(morning)), OverEntry.value)
        ])
        #expect(try await machine.authenticator.deny(.ada("1")) == .delivered)
        #expect(
            try await machine.authenticator.record(of: .ada("1"))?.state
                == .answered(.deny(.unexpected), .delivered))
        #expect(try await machine.authenticator.unfinishedRecords().isEmpty)
    }
}
