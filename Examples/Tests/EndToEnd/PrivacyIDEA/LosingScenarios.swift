import PushCore
import Testing

extension Scenario {
    /// What is lost on the way.
    static let losing: [Scenario] = [
        Scenario("an enrollment whose reply is lost") { stage in
            let way = try await stage.putUnreliableWay()
            let code = try await stage.server.code(for: stage.user, serial: nil)
            await way.lose(.reply)
            let phone = try await stage.device()
            // The server's key was in the reply, and is told nowhere else.
            try await phone.enroll(code.text, is: "invitationSpent")
            try await phone.see("has", is: "0 enrollments") {
                "\(try await phone.authenticator.enrollments().count) enrollments"
            }
            await way.stop()
        },
        Scenario("an enrollment that is lost") { stage in
            let way = try await stage.putUnreliableWay()
            let code = try await stage.server.code(for: stage.user, serial: nil)
            await way.lose(.request)
            try await stage.device().enroll(code.text)
            await way.stop()
        },
        Scenario("a yes whose reply is lost") { stage in
            let way = try await stage.putUnreliableWay()
            let (phone, _, login, id) = try await stage.askedDevice()
            await way.lose(.reply)
            try await phone.answer(id, .approve, is: "unknown")
            try await stage.sees(login, "ACCEPT accept")
            try await stage.device().resumeTwice(id)
            try await stage.finishes(login, "ACCEPT")
            await way.stop()
        },
        Scenario("a yes that is lost") { stage in
            let way = try await stage.putUnreliableWay()
            let (phone, _, login, id) = try await stage.askedDevice()
            await way.lose(.request)
            try await phone.answer(id, .approve, is: "unknown")
            try await stage.sees(login, "REJECT pending")
            try await stage.device().resume(is: "delivered")
            try await stage.sees(login, "ACCEPT accept")
            try await stage.finishes(login, "ACCEPT")
            await way.stop()
        },
        Scenario("a choice whose reply is lost") { stage in
            try await stage.set(.numbers(count: 3))
            let way = try await stage.putUnreliableWay()
            let (phone, _, login, id) = try await stage.askedDevice()
            let shown = try #require(login.shown)
            await way.lose(.reply)
            try await phone.answer(id, .choose(shown), is: "unknown")
            try await stage.sees(login, "ACCEPT accept")
            try await stage.device().resumeTwice(id)
            await way.stop()
        },
        Scenario("a code to the phone whose reply is lost") { stage in
            try await stage.set(.codeToPhone)
            let way = try await stage.putUnreliableWay()
            let (phone, _, login, id) = try await stage.askedDevice()
            await way.lose(.reply)
            try await phone.answer(id, .approve, is: "unknown")
            try await stage.sees(login, "REJECT pending")
            try await stage.device().resumeTwice(id)
            await way.stop()
        },
    ]
}
