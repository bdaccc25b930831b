import Foundation
import Testing

@testable import PushCore

/// One enrollment, one document: what is known of challenges, and how a row changes in it.
struct EnrollmentDocumentTests {
    private let moment = EnrollmentDocument.moment

    @Test func `a challenge is announced, decided and settled, and each is a change`() throws {
        var document = try EnrollmentDocument.ada()
        #expect(!document.waits)
        #expect(try document.announce("1")?.value == true)
        #expect(document.hasChanged && document.waits)
        document = try document.again
        #expect(!document.hasChanged && document.waits)
        #expect(try document.row("1")?.state == .open)
        #expect(try document.announce("1")?.value == false)
        #expect(!document.hasChanged)
        try document.decide("1")
        #expect(document.waits)
        #expect(try document.again.row("1")?.state == .decided(.approve))
        #expect(try document.settle("1")?.row.state == .answered(.approve, .delivered))
        #expect(!document.waits)
        #expect(try document.again.row("1")?.state == .answered(.approve, .delivered))
        #expect(try document.hasTrueFlags())
    }

    @Test func `several changes of one copy are one record`() throws {
        var document = try EnrollmentDocument.ada()
        for name in ["1", "2", "3"] { try document.announce(name) }
        try document.decide("2")
        try document.replace(secret("another"))
        let again = try document.again
        #expect(try again.rowNames() == ["1", "2", "3"])
        #expect(try again.row("2")?.state == .decided(.approve))
        #expect(again.credential.isEqualInConstantTime(to: secret("another")))
    }

    @Test func `a function that throws changes nothing`() throws {
        var document = try EnrollmentDocument.ada()
        try document.announce("1")
        try document.decide("1")
        document = try document.again
        let before = document.bytes
        #expect(code { try document.decide("1", .deny(.fraud)) } == .decidedOtherwise(.approve))
        let wrong = PushError(.invalidArgument, "As the test wants.")
        #expect(
            code {
                try document.change("2") { (row) throws(PushError) in
                    _ = row.mention()
                    throw wrong
                }
            } == .invalidArgument)
        #expect(!document.hasChanged)
        #expect(document.bytes == before)
    }

    @Test func `what ends moves to the end, and what changes otherwise stays in its place`() throws
    {
        var document = try EnrollmentDocument.ada()
        for name in ["1", "2", "3", "4"] { try document.announce(name) }
        try document.decide("3")
        #expect(try document.rowNames() == ["1", "2", "3", "4"])
        try document.withdraw("2")
        try document.settle("3")
        #expect(try document.rowNames() == ["1", "4", "2", "3"])
    }

    @Test func `what was only mentioned doesn't wait, and waits once it is announced`() throws {
        var document = try EnrollmentDocument.ada()
        #expect(try document.change("1") { row in row.mention() }?.value == true)
        #expect(!document.waits)
        document = try document.again
        #expect(try document.change("1") { row in row.mention() }?.value == false)
        try document.announce("2")
        #expect(try document.announce("1")?.value == true)
        #expect(try document.rowNames() == ["2", "1"])
        #expect(try document.hasTrueFlags())
    }

    @Test func `each part that changes makes it differ from what is on record, and no other`()
        throws
    {
        func changes(_ body: (inout EnrollmentDocument) throws -> Void) throws -> Bool {
            var document = try EnrollmentDocument.ada(passed: moment)
            _ = document.tell(["m"])
            document = document.asRecorded
            let before = document.bytes
            try body(&document)
            #expect(document.hasChanged == (document.bytes != before))
            return document.hasChanged
        }
        #expect(try changes { try $0.replace(secret("new")) })
        #expect(try !changes { try $0.replace(secret("credential")) })
        #expect(try changes { $0.passed = CompactDate(Date.now) })
        #expect(try !changes { $0.passed = $0.passed })
        #expect(try changes { _ = $0.bursts.count(at: Date.now, beyond: 3, within: .seconds(9)) })
        #expect(try changes { $0.bursts.raiseAlarm(at: Date.now) })
        #expect(try changes { _ = $0.tell(["n"]) })
        #expect(try !changes { _ = $0.tell(["m"]) })
        #expect(try !changes { $0.head = $0.head })
        #expect(try changes { $0.head.departed = Date.now })
        #expect(try !changes { try $0.change("1") { _ in } })
        #expect(try !changes { _ = try $0.known(.ada("1")) })
    }

    @Test func `one that takes another's place has the next generation, and knows its challenges`()
        throws
    {
        var document = try EnrollmentDocument.ada()
        try document.withdraw("1")
        document.head.claims = ["unique"]
        let enrollment = document.head.enrollment
        document.reenroll(enrollment, secret("new"))
        document.reenroll(enrollment, secret("newer"))
        let again = try document.again
        #expect(again.generation == 2)
        #expect(again.head.claims == ["unique"])
        #expect(again.credential.isEqualInConstantTime(to: secret("newer")))
        #expect(try again.row("1") != nil)
    }

    @Test func `a salt has 16 bytes, and another one gives other names`() throws {
        #expect(
            code {
                try EnrollmentDocument(
                    salt: Secret([1]),
                    EnrollmentHead(Enrollment(id: .ada, state: .active, created: .now)),
                    Secret([]))
            } == .invalidArgument)
        var names: Set<SipHash.Digest> = []
        for salt in UInt8(0)..<10 {
            var document = try EnrollmentDocument.ada(salt: salt)
            try document.announce("1")
            names.formUnion(document.rows.slots.map(\.name))
        }
        #expect(names.count == 10)
    }

    // MARK: What can't be read

    /// A document with a row of a later version, and two that can be read.
    private func mixed(_ flags: RowSlot.Flags) throws -> (EnrollmentDocument, foreign: [UInt8]) {
        var document = try EnrollmentDocument.ada()
        for name in ["1", "foreign", "2"] { try document.announce(name) }
        let foreign = Secret.Record(fields: ["version": 2, "more": "é"], secrets: [secret("x")])
        let slots = document.rows.slots.map { slot in
            slot.name == document.names.digest(of: "foreign".utf8)
                ? RowSlot(slot.name, flags, foreign.sealed) : slot
        }
        document = try document.with(slots)
        return (try document.again, foreign.sealed.withBytes { Array($0) })
    }

    @Test(arguments: [RowSlot.Flags.waits, .ended, .mentioned])
    func `a row of a later version costs itself alone, and goes through every write as it is`(
        flags: RowSlot.Flags
    ) throws {
        var (document, foreign) = try mixed(flags)
        let limits = Retention(rows: 0)
        #expect(code { try document.known(.ada("foreign")) } == .unsupportedRecord)
        #expect(code { try document.announce("foreign") } == .unsupportedRecord)
        #expect(!document.hasChanged)
        for name in ["1", "2"] {
            try document.decide(name)
            try document.settle(name, .approve, limits)
            document = try document.again
            #expect(try document.trace(name)?.verdict == .approved)
        }
        let left = try #require(document.rows.slots.first)
        #expect(left.sealed.withBytes { Array($0) } == foreign)
        #expect(left.flags == flags)
        #expect(document.rows.slots.count == 1)
        #expect(document.waits == (flags == .waits))
    }

    @Test func `a row under another's name isn't that one`() throws {
        var document = try EnrollmentDocument.ada()
        try document.announce("1")
        let slots = document.rows.slots.map {
            RowSlot(document.names.digest(of: "2".utf8), $0.flags, $0.sealed)
        }
        document = try document.with(slots)
        #expect(code { try document.known(.ada("2")) } == .unsupportedRecord)
    }
}
