import Foundation
import Testing

@testable import PushCore

/// What a document keeps of challenges that are over, and for how long.
struct CompactionTests {
    private let moment = EnrollmentDocument.moment
    private let day = 86_400.0

    /// Only traces are left of what is over.
    private let bare = Retention(rows: 0)

    /// Lets the server's time pass, and writes something.
    private func passed(
        _ seconds: Double, _ document: inout EnrollmentDocument, _ limits: Retention
    ) throws {
        document.passed = CompactDate(moment + seconds)
        document.compact(limits)
        document = try document.again
    }

    private func isKnown(_ name: String, in document: EnrollmentDocument) throws -> Bool {
        try document.row(name) != nil || document.trace(name) != nil
    }

    @Test func `the newest rows stay whole, and a trace of each other one is known again`() throws {
        var document = try EnrollmentDocument.ada()
        for number in 0..<20 { try document.withdraw("\(number)") }
        #expect(try document.rowNames() == (4..<20).map { "\($0)" })
        document = try document.again
        for number in 0..<4 {
            #expect(try document.trace("\(number)")?.verdict == .over)
            #expect(try document.announce("\(number)") == nil)
        }
        #expect(!document.hasChanged)
        #expect(try document.announce("20")?.value == true)
    }

    @Test func `a trace says what became of the challenge, and until when it may come`() throws {
        var document = try EnrollmentDocument.ada()
        for (name, resolution) in [("yes", Resolution.choose("42")), ("no", .deny(.fraud))] {
            try document.announce(name, expiry: moment + 60.5)
            try document.decide(name, resolution)
            try document.settle(name, resolution, bare)
        }
        try document.withdraw("over", expiry: moment + 7, at: moment, bare)
        try document.withdraw("undated", at: moment, bare)
        let end = CompactDate(moment + 61)
        #expect(try document.trace("yes")?.verdict == .approved)
        #expect(try document.trace("yes")?.end == end)
        #expect(try document.trace("no")?.verdict == .denied)
        #expect(try document.trace("over")?.end == CompactDate(moment + 7))
        #expect(try document.trace("undated")?.end == nil)
        #expect(try document.decide("yes") == nil)
    }

    @Test func `what was only mentioned is announced after it, too, and heard of once`() throws {
        var document = try EnrollmentDocument.ada()
        try document.change("1", bare) { row in _ = row.mention() }
        document = try document.again
        #expect(try document.trace("1")?.verdict == .mentioned)
        #expect(try document.change("1") { row in row.mention() }?.value == false)
        #expect(!document.hasChanged)
        #expect(try document.announce("1")?.value == true)
        #expect(try document.trace("1") == nil && document.row("1")?.state == .open)
    }

    @Test func `a trace goes after its age, and beyond the number once it can't come any more`()
        throws
    {
        var limits = bare
        limits.count = 2
        var document = try EnrollmentDocument.ada()
        for number in 0..<4 {
            try document.withdraw("\(number)", expiry: moment + 100, at: moment, limits)
        }
        #expect(document.traces.all.count == 4)
        try passed(700, &document, limits)
        #expect(document.traces.all.count == 4)
        try passed(701, &document, limits)
        #expect(
            try (0..<4).map { try isKnown("\($0)", in: document) } == [false, false, true, true])
        try passed(100 + 30 * day, &document, limits)
        #expect(document.traces.all.count == 2)
        try passed(101 + 30 * day, &document, limits)
        #expect(document.traces.all.isEmpty)
    }

    @Test func `one without an end gets the last one as soon as the server's time is known`() throws
    {
        var limits = bare
        limits.count = 0
        var document = try EnrollmentDocument.ada()
        try document.withdraw("1", at: moment + 1e9, limits)
        try document.announce("2", expiry: nil)
        try document.withdraw("2", at: moment, limits)
        #expect(document.traces.all.map(\.end) == [nil, nil])
        try passed(0, &document, limits)
        #expect(
            document.traces.all.map(\.end)
                == Array(repeating: CompactDate(moment + 30 * day), count: 2))
        try passed(30 * day + 600, &document, limits)
        #expect(document.traces.all.count == 2)
        try passed(30 * day + 601, &document, limits)
        #expect(document.traces.all.isEmpty)
    }

    @Test(arguments: [-1e9, 0, 1e9]) func `no wall clock forgets`(jump: Double) throws {
        var document = try EnrollmentDocument.ada(passed: moment)
        let limits = Retention(count: 0, rows: 0)
        for number in 0..<10 {
            try document.withdraw("\(number)", expiry: moment + 60, at: moment + jump, limits)
        }
        for number in 0..<10 { #expect(try document.trace("\(number)") != nil) }
    }

    @Test func `what waits is never old`() throws {
        var document = try EnrollmentDocument.ada(passed: moment)
        let limits = Retention(count: 0, rows: 0)
        for name in ["open", "decided"] { try document.announce(name, expiry: moment - 1e8) }
        try document.decide("decided")
        for number in 0..<20 {
            try document.withdraw("\(number)", expiry: moment - 1e8, at: moment, limits)
        }
        #expect(try document.rowNames() == ["open", "decided"])
        #expect(document.traces.all.isEmpty)
    }

    @Test func `a time of the server's that was wrong does no more harm once it is right`() throws {
        var document = try EnrollmentDocument.ada()
        try passed(1e9, &document, bare)
        try document.withdraw("1", expiry: moment + 60, at: moment, bare)
        #expect(try document.trace("1") == nil)
        try passed(0, &document, bare)
        try document.withdraw("2", expiry: moment + 60, at: moment, bare)
        #expect(try document.again.trace("2") != nil)
    }

    @Test func `of two thousand traces the oldest goes, whatever its end`() throws {
        var traces = Traces()
        let names = (0..<2100).map { SipHash.Digest(high: 1, low: $0) }
        for name in names.prefix(2000) {
            traces.append([Trace(name: name, end: nil, verdict: .over)])
        }
        traces.forget(nil, bare)
        #expect(traces.all.count == 2000)
        traces.append(names.suffix(100).map { Trace(name: $0, end: nil, verdict: .over) })
        traces.forget(nil, bare)
        #expect(traces.all.map(\.name) == Array(names.suffix(2000)))
        traces.forget(CompactDate(moment), bare)
        #expect(traces.all.count == 2000)
    }

    @Test func `limits below zero are none`() throws {
        var document = try EnrollmentDocument.ada(passed: moment)
        let limits = Retention(
            age: .seconds(-1), count: -1, rows: -1, skew: .seconds(-1))
        try document.withdraw("1", expiry: moment, at: moment, limits)
        #expect(try document.trace("1") != nil)
        try document.withdraw("2", expiry: moment - 1, at: moment, limits)
        #expect(try document.trace("2") == nil)
    }
}
