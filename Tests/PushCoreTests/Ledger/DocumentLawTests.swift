import Foundation
import PushTesting
import Testing

@testable import PushCore

/// What a document may forget, whatever comes to it: random sequences of what happens to
/// challenges, under wall clocks that say anything.
struct DocumentLawTests {
    @Test(arguments: 0..<12) func `nothing that may come again is forgotten, and no decision`(
        seed: UInt64
    ) throws {
        // Half of the worlds get more than can wait.
        var world = try World(seed: seed, opening: seed % 2 == 0 ? 20 : 65)
        for number in 0..<500 {
            try world.step()
            if number % 25 == 24 { try world.check() }
        }
        // Of all that could happen something did.
        #expect(world.forgotten > 10)
        #expect((world.closed > 10) == (seed % 2 == 1))
    }
}

/// What happened to one challenge.
private struct Fate {
    var state: State
    /// Until when it may come, by the server's clock.
    var expiry: Date?
    /// What was known to have passed when it ended.
    var ended: Date?

    enum State { case open, decided, over, mentioned }
}

/// A document, and what must be true of it.
private struct World {
    var document: EnrollmentDocument
    var fates: [String: Fate] = [:]
    var server = EnrollmentDocument.moment
    var isTimeKnown = false
    var wall = EnrollmentDocument.moment
    let random: SeededRandom
    let limits = Retention(
        age: .seconds(3 * 86_400), count: 5, rows: 2, skew: .seconds(600))
    /// How many challenges were closed to make room, and how many were found to be forgotten.
    var (closed, forgotten) = (0, 0)
    /// How many of a hundred events announce a challenge.
    let opening: Int

    init(seed: UInt64, opening: Int) throws {
        document = try .ada()
        random = SeededRandom(seed: seed)
        self.opening = opening
    }
}

extension World {
    private func draw(below bound: Int) -> Int { Int(random.next() % UInt64(bound)) }

    private func any(_ states: Fate.State...) -> String? {
        let names = fates.filter { states.contains($0.value.state) }.keys.sorted()
        return names.isEmpty ? nil : names[draw(below: names.count)]
    }

    private func expiry() -> Date? {
        draw(below: 8) == 0 ? nil : server + Double(draw(below: 7200) - 1800)
    }

    private mutating func end(_ name: String, _ state: Fate.State = .over) {
        fates[name]?.state = state
        fates[name]?.ended = isTimeKnown ? server : nil
    }

    /// Lets something happen, by a clock that says anything.
    mutating func step() throws {
        wall = EnrollmentDocument.moment + Double(draw(below: 2_000_000_000) - 1_000_000_000)
        let new = "\(fates.count)"
        switch draw(below: 100) {
        case ..<opening:
            let expiry = expiry()
            let before = document.closed.count
            let change = try document.announce(new, expiry: expiry, at: wall, limits)
            #expect(change?.value == true)
            fates[new] = Fate(state: .open, expiry: expiry)
            for row in document.closed[before...] {
                closed += 1
                end(row.id.name)
                guard row.withdrawal?.reason == .expired else { continue }
                let expiry = try #require(fates[row.id.name]?.expiry)
                #expect(isTimeKnown && expiry < server)
            }
        case ..<70:
            guard let name = any(.open) else { return }
            try document.decide(name, draw(below: 2) == 0 ? .approve : .deny(.fraud))
            fates[name]?.state = .decided
        case ..<80:
            guard let name = any(.decided), let row = try document.row(name),
                let decided = row.decided
            else { return }
            try document.settle(name, decided.resolution, limits)
            end(name)
        case ..<88:
            let (name, last) = (draw(below: 2) == 0 ? any(.open) ?? new : new, expiry())
            if fates[name] == nil {
                fates[name] = Fate(state: .over, expiry: last)
            }
            try document.withdraw(name, expiry: last, at: wall, limits)
            if fates[name]?.expiry == nil { fates[name]?.expiry = last }
            end(name)
        case ..<93:
            try document.change(new, at: wall, limits) { row in _ = row.mention() }
            fates[new] = Fate(state: .mentioned)
            end(new, .mentioned)
        default:
            server += Double(draw(below: 86_400))
            isTimeKnown = isTimeKnown || draw(below: 4) == 0
            guard isTimeKnown else { return }
            document.passed = CompactDate(server)
            document.compact(limits)
        }
        if draw(below: 2) == 0 {
            let again = try document.again
            #expect(again.bytes == document.bytes)
            document = again
        }
    }

    /// Whether no replay of a challenge can open it any more.
    private func isPast(_ fate: Fate) -> Bool {
        guard isTimeKnown else { return false }
        let skew = limits.skew.inSeconds
        if let expiry = fate.expiry { return server > expiry + skew }
        // Nobody said until when, so it is the age from the first time that was known since.
        return server > (fate.ended ?? EnrollmentDocument.moment) + limits.age.inSeconds + skew
    }

    /// What holds of the document.
    mutating func check() throws {
        for (name, fate) in fates {
            let known = try document.known(.ada(name))
            switch (fate.state, known) {
            case (.open, .row(let row)): #expect(row.state == .open && row.announcement != nil)
            case (.decided, .row(let row)): #expect(row.decided != nil && !row.isFinished)
            case (.over, .row(let row)): #expect(row.isFinished)
            case (.over, .trace(let trace)): #expect(trace.verdict != .mentioned)
            case (.mentioned, .row(let row)): #expect(!row.isKnown)
            case (.mentioned, .trace(let trace)): #expect(trace.verdict == .mentioned)
            case (.over, .never), (.mentioned, .never):
                #expect(isPast(fate), "\(name) is forgotten")
                forgotten += 1
            default: Issue.record("\(name) is \(fate.state) and \(known)")
            }
        }
        #expect(try document.hasTrueFlags())
        #expect(document.rows.waiting <= DocumentRows.mostWaiting)
        #expect(document.rows.slots.count - document.rows.waiting <= limits.rows)
        guard isTimeKnown, let passed = document.passed else { return }
        let traces = document.traces.all
        // What nobody needs isn't there.
        for (index, trace) in traces.enumerated() {
            let end = try #require(trace.end)
            let reserve = index < traces.count - limits.count ? limits.skew : limits.age
            #expect(passed.seconds(since: end) <= reserve.inSeconds)
        }
    }
}
