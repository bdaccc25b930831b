import PushCore
import Testing

extension Scenario {
    static let presence: [Scenario] = [
        Scenario("numbers, one wrong") { stage in
            try await stage.set(.numbers(count: 3))
            let (phone, _, login, id) = try await stage.askedDevice()
            let challenge = try await phone.open(id, is: asked([2, 2, 2], at: stage))
            let shown = try #require(login.shown)
            let wrong = try #require(challenge.options.first { $0 != shown })
            try await stage.note(
                "the page's number is an option", "\(challenge.options.contains(shown))", "true")
            try await phone.resolve(
                challenge, .choose(wrong), is: "not taken: wrongChoice, may retry, 2 left")
            try await stage.sees(login, "REJECT pending")
            try await phone.answer(id, .choose(shown), is: "delivered")
            try await stage.sees(login, "ACCEPT accept")
            try await stage.finishes(login, "ACCEPT")
        },
        Scenario("numbers, three wrong") { stage in
            try await stage.set(.numbers(count: 4))
            let (phone, _, login, id) = try await stage.askedDevice()
            let challenge = try await phone.authenticator.challenge(id)
            let shown = try #require(login.shown)
            for (index, wrong) in challenge.options.filter({ $0 != shown }).enumerated() {
                try await phone.answer(
                    id, .choose(wrong),
                    is: "not taken: wrongChoice, may retry, \(2 - index) left")
            }
            let last = try await phone.open(
                id, is: asked("for a no", at: stage))
            try await phone.resolve(last, .deny(.unexpected), is: "delivered")
            try await stage.sees(login, "DECLINED declined")
        },
        Scenario("letters, and a yes without one") { stage in
            try await stage.set(.letters(count: 5))
            let (phone, _, login, id) = try await stage.askedDevice()
            let challenge = try await phone.open(id, is: asked([1, 1, 1, 1, 1], at: stage))
            try await phone.resolve(challenge, .approve, is: "invalidResolution")
            try await stage.sees(login, "REJECT pending")
            try await phone.answer(id, .choose(try #require(login.shown)), is: "delivered")
            try await stage.finishes(login, "ACCEPT")
        },
        Scenario("texts of an administrator's own") { stage in
            try await stage.set(.options(["100%25", "a+b c", "Zoë"]))
            let (phone, _, login, id) = try await stage.askedDevice()
            let challenge = try await phone.authenticator.challenge(id)
            try await stage.note("the options", "\(challenge.options.sorted())")
            try await phone.answer(id, .choose(try #require(login.shown)), is: "delivered")
            try await stage.finishes(login, "ACCEPT")
        },
        Scenario("a choice, and a no") { stage in
            try await stage.set(.numbers(count: 2))
            let (phone, _, login, id) = try await stage.askedDevice()
            try await phone.answer(id, .deny(.ignore), is: "delivered")
            try await stage.sees(
                login, stage.server.release == .v314 ? "DECLINED cancelled" : "DECLINED declined")
        },
        Scenario("a code to the phone") { stage in
            try await stage.set(.codeToPhone)
            let (phone, enrollment, login, id) = try await stage.askedDevice()
            let challenge = try await phone.authenticator.challenge(id)
            var code = ""
            try await phone.see("answers yes", is: "code of 2") {
                let outcome = try await phone.authenticator.resolve(challenge, with: .approve)
                if case .code(let text, _) = outcome { code = text }
                return outcome.seen
            }
            try await stage.sees(login, "REJECT pending")
            try await phone.poll(enrollment, is: "")
            try await stage.finishes(login, typing: code == "00" ? "01" : "00", "REJECT")
            try await stage.finishes(login, typing: code, "ACCEPT")
        },
        Scenario("a code to the phone, and a no") { stage in
            try await stage.set(.codeToPhone)
            let (phone, _, login, id) = try await stage.askedDevice()
            try await phone.answer(id, .deny(.unexpected), is: "delivered")
            try await stage.sees(login, "DECLINED declined")
            try await stage.finishes(login, "REJECT")
        },
    ]

    private static func asked(_ lengths: [Int], at stage: Stage) -> String {
        asked("for one of \(lengths)", at: stage)
    }

    private static func asked(_ words: String, at stage: Stage) -> String {
        words + (stage.server.release == .v314 ? ", cancelled, unknown_trigger" : "")
    }
}
