import PushCore
import Testing

extension Scenario {
    static let answering: [Scenario] =
        [
            Scenario("a yes") { stage in
                let (phone, enrollment, login, id) = try await stage.askedDevice(byPIN: true)
                try await stage.sees(login, "REJECT pending")
                try await stage.finishes(login, "REJECT")
                let reasons =
                    stage.server.release == .v314 ? ", cancelled, unknown_trigger" : ""
                let challenge = try await phone.open(id, is: "approve\(reasons)")
                try await phone.resolve(challenge, .approve, is: "delivered")
                try await stage.sees(login, "ACCEPT accept")
                try await phone.poll(enrollment, is: "")
                try await stage.finishes(login, "ACCEPT")
                try await stage.sees(login, "REJECT pending")
                try await phone.poll(enrollment, is: "")
            },
            no("it wasn't me", .unexpected, "DECLINED declined"),
            no("it was a fraud", .fraud, "DECLINED declined"),
            no("it was me", .ignore, "DECLINED cancelled"),
            no("in other words", .custom("Not now"), "DECLINED declined"),
            Scenario("another answer from a copy of the device") { stage in
                let (phone, _, login, id) = try await stage.askedDevice()
                let copy = try await stage.copy(of: phone, "copy")
                let challenge = try await copy.authenticator.challenge(id)
                try await phone.answer(id, .approve, is: "delivered")
                try await copy.resolve(
                    challenge, .deny(.unexpected),
                    is: stage.isOneShot ? "not taken: stateChanged" : "delivered")
                try await stage.sees(login, "ACCEPT accept")
                try await stage.finishes(login, "ACCEPT")
            },
            Scenario("a yes after a no from a copy of the device") { stage in
                let (phone, _, login, id) = try await stage.askedDevice()
                let copy = try await stage.copy(of: phone, "copy")
                let challenge = try await copy.authenticator.challenge(id)
                try await phone.answer(id, .deny(.unexpected), is: "delivered")
                try await copy.resolve(
                    challenge, .approve,
                    is: stage.isOneShot ? "not taken: stateChanged" : "delivered")
                try await stage.sees(
                    login, stage.isOneShot ? "DECLINED declined" : "ACCEPT accept")
            },
            Scenario("an answer on record") { stage in
                let (phone, _, login, id) = try await stage.askedDevice()
                let challenge = try await phone.authenticator.challenge(id)
                try await phone.resolve(challenge, .approve, is: "delivered")
                try await phone.resolve(challenge, .approve, is: "delivered")
                try await phone.resolve(
                    challenge, .deny(.unexpected),
                    is: "decidedOtherwise(PushCore.Resolution.approve)")
                try await stage.finishes(login, "ACCEPT")
            },
            Scenario("several logins at once") { stage in
                let (phone, enrollment, first, one) = try await stage.askedDevice()
                let second = try await stage.server.startLogin(of: stage.user)
                let question = stage.text
                let found = try await phone.poll(
                    enrollment, is: "known: \(question), new: \(question)")
                let other = try #require(found.last)
                try await phone.answer(other, .approve, is: "delivered")
                try await stage.sees(first, "REJECT pending")
                try await stage.sees(second, "ACCEPT accept")
                try await phone.answer(one, .deny(.unexpected), is: "delivered")
                try await stage.sees(first, "DECLINED declined")
                try await stage.finishes(second, "ACCEPT")
            },
        ]

    /// A no, for a reason.
    private static func no(
        _ words: String, _ reason: DenyReason, _ expected: String
    ) -> Scenario {
        Scenario("a no, as \(words)") { stage in
            let (phone, enrollment, login, id) = try await stage.askedDevice()
            try await phone.answer(id, .deny(reason), is: "delivered")
            // Before 3.14 there is one no.
            try await stage.sees(
                login, stage.server.release == .v314 ? expected : "DECLINED declined")
            try await phone.poll(enrollment, is: "")
            try await stage.finishes(login, "REJECT")
        }
    }
}

extension Stage {
    /// Whether a server takes one answer to a challenge, and no other.
    var isOneShot: Bool { server.release == .v314 }
}
