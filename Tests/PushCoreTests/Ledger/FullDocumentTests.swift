import Foundation
import Testing

@testable import PushCore

/// A document in which as many challenges wait as can.
struct FullDocumentTests {
    private let moment = EnrollmentDocument.moment

    /// A document in which 64 wait.
    private func full(
        passed: Date? = nil, expiry: (Int) -> Date? = { _ in EnrollmentDocument.moment + 60 }
    ) throws -> EnrollmentDocument {
        var document = try EnrollmentDocument.ada(passed: passed)
        for number in 0..<64 {
            try document.announce("\(number)", expiry: expiry(number))
        }
        #expect(document.closed.isEmpty)
        return try document.again
    }

    @Test func `the 65th displaces the oldest that the user hasn't decided, and tells of it`()
        throws
    {
        var document = try full(passed: moment)
        try document.decide("0")
        let change = try #require(try document.announce("new"))
        #expect(change.value)
        #expect(document.expired.isEmpty)
        #expect(document.displaced.map(\.id.name) == ["1"])
        #expect(document.displaced.map(\.state) == [.over(Withdrawal(.ada("1"), .unknown))])
        document = try document.again
        #expect(document.rows.waiting == 64)
        #expect(try document.row("0")?.state == .decided(.approve))
        #expect(try document.row("new")?.state == .open)
        // What opened it is gone: it is for single use.
        #expect(try document.row("1")?.announcement?.context.count == 0)
        #expect(try document.announce("1")?.value == false)
        try document.announce("newer")
        #expect(document.displaced.map(\.id.name) == ["2"])
    }

    @Test func `of a list that names the newest first the oldest give way`() throws {
        var document = try EnrollmentDocument.ada(passed: moment)
        for age in 0..<80 { try document.announce("\(age)", issued: moment - Double(age)) }
        #expect(document.rows.waiting == 64)
        for age in 0..<63 { #expect(try document.row("\(age)")?.state == .open) }
        #expect(try document.row("79")?.state == .open)
        #expect(Set(document.displaced.map(\.id.name)) == Set((63..<79).map { "\($0)" }))
    }

    @Test func `what has certainly expired makes room first`() throws {
        var document = try full(passed: moment) { number in
            number % 10 == 5 ? EnrollmentDocument.moment - 1 : EnrollmentDocument.moment
        }
        try document.decide("5")
        try document.announce("new")
        #expect(document.expired.map(\.id.name) == ["15", "25", "35", "45", "55"])
        #expect(
            document.expired.allSatisfy { $0.state == .over(Withdrawal($0.id, .expired)) })
        #expect(document.displaced.isEmpty)
        #expect(document.rows.waiting == 60)
    }

    @Test(arguments: [-1e9, 1e9]) func `no wall clock says what has expired`(jump: Double) throws {
        var document = try full()
        try document.announce("new", at: moment + jump)
        #expect(document.expired.isEmpty)
        #expect(document.displaced.map(\.id.name) == ["0"])
    }

    @Test func `only 64 decisions refuse another one, and what waits for nothing has room`() throws
    {
        var document = try full(passed: moment) { _ in EnrollmentDocument.moment - 1e6 }
        for number in 0..<64 { try document.decide("\(number)") }
        document = try document.again
        #expect(code { try document.announce("new") } == .storage)
        #expect(!document.hasChanged)
        #expect(try document.row("new") == nil)
        #expect(try document.withdraw("over")?.value == true)
        #expect(try document.change("mentioned") { row in row.mention() }?.value == true)
        #expect(code { try document.announce("mentioned") } == .storage)
        #expect(try document.announce("3")?.value == false)
        try document.settle("7")
        #expect(try document.announce("new")?.value == true)
    }

    @Test func `what can't be read counts, and isn't displaced`() throws {
        var document = try full()
        let slots = document.rows.slots.enumerated().map { (index, slot) in
            index < 63 ? RowSlot(slot.name, slot.flags, secret("of a later version")) : slot
        }
        document = try document.with(slots)
        try document.announce("new")
        #expect(document.displaced.map(\.id.name) == ["63"])
        try document.decide("new")
        #expect(code { try document.announce("newer") } == .storage)
        #expect(document.rows.waiting == 64)
    }

    @Test func `what a challenge displaced is compacted as all that is over`() throws {
        var document = try full()
        let limits = Retention(rows: 2)
        for number in 64..<74 { try document.announce("\(number)", at: moment, limits) }
        #expect(document.rows.waiting == 64)
        #expect(document.rows.slots.count == 66)
        for number in 0..<8 { #expect(try document.trace("\(number)")?.verdict == .over) }
    }
}
