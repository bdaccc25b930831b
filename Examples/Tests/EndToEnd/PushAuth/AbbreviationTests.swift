import PushCore
import Testing

@testable import PushAuthCommand

@Suite struct AbbreviationTests {
    private let names = (0..<400).map { "challenge \($0)" }

    private var candidates: [(name: String, short: Abbreviation, thing: String)] {
        names.map { name in
            (name, Abbreviation(Challenge.ID(name, of: Enrollment.ID("e", of: "acme"))), name)
        }
    }

    @Test func `is 12 digits, the same every time, and another for another name`() {
        let shorts = candidates.map(\.short.text)
        #expect(shorts.allSatisfy { $0.count == 12 && $0.allSatisfy(\.isHexDigit) })
        #expect(shorts == candidates.map(\.short.text) && Set(shorts).count == names.count)
        let enrollment = Abbreviation(Enrollment.ID("a", of: "b"))
        #expect(enrollment != Abbreviation(Enrollment.ID("b", of: "a")))
    }

    @Test func `finds by the whole name, and by as much of the digits as is unique`() throws {
        let sought = candidates[7]
        for typed in [sought.name, sought.short.text, sought.short.text.uppercased()] {
            #expect(try find(typed) == sought.name)
        }
    }

    @Test func `says which ones are meant where it is more than one`() throws {
        // 400 names share the first digits of a hash.
        let typed = String(candidates[0].short.text.prefix(2))
        let others = candidates.filter { $0.short.text.hasPrefix(typed) }
        let error = try #require(throws: Failure.self) { try findAll(typed, others + others) }
        #expect(error.status == .notFound && error.text.contains("more than one thing"))
        #expect(error.text.contains(others[0].short.text))
    }

    @Test(arguments: ["", "z", "zz", "challenge", "\u{1B}[2J"])
    func `finds nothing by what fits nothing`(typed: String) throws {
        let error = try #require(throws: Failure.self) { try find(typed) }
        #expect(error.status == .notFound && !error.text.contains("\u{1B}"))
    }

    @Test func `one digit is too little, even where it would be unique`() throws {
        let one = [candidates[0]]
        let short = one[0].short.text
        #expect(throws: Failure.self) { try findAll(String(short.prefix(1)), one) }
        #expect(try findAll(String(short.prefix(2)), one) == one[0].name)
    }

    @Test func `a name that is somebody else's digits is that name`() throws {
        let digits = candidates[0].short.text
        let named = (name: digits, short: candidates[1].short, thing: "named")
        #expect(try findAll(digits, [candidates[0], named]) == "named")
    }

    private func find(_ typed: String) throws -> String { try findAll(typed, candidates) }

    private func findAll(
        _ typed: String, _ candidates: [(name: String, short: Abbreviation, thing: String)]
    ) throws -> String {
        try Abbreviation.find(typed, in: candidates, kind: "thing")
    }
}
