import PushCore
import Testing

@testable import PushAuthCommand

/// Rules by what a challenge shows.
extension PolicyTests {
    @Test func `a yes needs every field with the label to have the value`() throws {
        let text = "[[rule]]\nfield = { To = 'Acme' }\naction = 'approve'"
        for (others, holds) in [
            ([], true), ([("To", "Acme")], true), ([("To", "Eve")], false),
            ([("To", "")], false), ([("to", "Eve")], true),
        ] as [([(String, String)], Bool)] {
            for fields in [[("To", "Acme")] + others, others + [("To", "Acme")]] {
                let expected: Verdict = holds ? .act(.approve(nil), rule: "rule 1") : .wait
                #expect(try verdict(text, on: question(fields: fields)) == expected)
            }
        }
    }

    @Test(arguments: [("deny", Verdict.Action.deny(.unexpected)), ("ignore", .ignore)])
    func `a no needs one field of the label to have the value`(
        word: String, action: Verdict.Action
    ) throws {
        let text = "[[rule]]\nfield = { To = 'Eve' }\naction = '\(word)'"
        for fields in [
            [("To", "Eve")], [("To", "Acme"), ("To", "Eve")], [("To", "Eve"), ("X", "")],
        ] {
            #expect(
                try verdict(text, on: question(fields: fields)) == .act(action, rule: "rule 1"))
        }
        for fields in [[], [("To", "Acme")], [("To ", "Eve")], [("T\u{43E}", "Eve")]] {
            #expect(try verdict(text, on: question(fields: fields)) == .wait)
        }
    }

    @Test func `only leaves nothing unsaid`() throws {
        let text = "[[rule]]\nfield = { To = 'Acme' }\nonly = true\naction = 'approve'"
        let yes = Verdict.act(.approve(nil), rule: "rule 1")
        #expect(try verdict(text, on: question(fields: [("To", "Acme")])) == yes)
        for other in ["Amount", "To ", "to", "T\u{43E}"] {
            let fields = [("To", "Acme"), (other, "Acme")]
            #expect(try verdict(text, on: question(fields: fields)) == .wait)
        }
        #expect(throws: Failure.self) {
            try verdict("[[rule]]\nonly = true\naction = 'approve'")
        }
    }

    @Test(arguments: ["approve", "deny", "ignore"])
    func `of what can only be denied no field is known, so a denial holds`(action: String) throws {
        let text = "[[rule]]\nfield = { To = 'Acme' }\naction = '\(action)'"
        let found = try verdict(text, on: question(prompt: .denyOnly("cut")))
        #expect(found == (action == "deny" ? .act(.deny(.unexpected), rule: "rule 1") : .wait))
        #expect(try verdict(text) != .wait)
    }
}
