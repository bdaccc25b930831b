import PushCore
import Testing

extension Scenario {
    static let passingTime: [Scenario] = [
        Scenario("a late answer") { stage in
            let (phone, enrollment) = try await stage.enrolledDevice()
            try await stage.takingAnswersBriefly {
                let (login, id) = try await stage.login(on: phone, enrollment)
                let challenge = try await phone.authenticator.challenge(id)
                try await stage.letTimePass()
                try await phone.resolve(
                    challenge, .approve,
                    is: stage.isOneShot ? "not taken: stateChanged" : "delivered")
                // Whatever the device was told: nobody gets in.
                try await stage.finishes(login, "REJECT")
            }
        },
        Scenario("a late poll") { stage in
            let (phone, enrollment) = try await stage.enrolledDevice()
            try await stage.takingAnswersBriefly {
                let login = try await stage.server.startLogin(of: stage.user)
                try await stage.letTimePass()
                try await phone.poll(enrollment, is: "")
                try await stage.finishes(login, "REJECT")
            }
        },
        Scenario("a challenge that ends while it is shown") { stage in
            let (phone, enrollment) = try await stage.enrolledDevice()
            try await stage.takingAnswersBriefly {
                let (_, id) = try await stage.login(on: phone, enrollment)
                try await stage.letTimePass()
                try await phone.poll(enrollment, is: "over: unknown")
                try await phone.see("opens it", is: "over") {
                    "\(try await phone.authenticator.challenge(id).prompt)"
                }
            }
        },
        Scenario("a login that is taken back", since: .v314) { stage in
            let (phone, enrollment, login, id) = try await stage.askedDevice()
            let challenge = try await phone.authenticator.challenge(id)
            try await stage.server.cancel(login)
            try await phone.resolve(challenge, .approve, is: "not taken: stateChanged")
            try await phone.poll(enrollment, is: "")
            try await stage.sees(login, "REJECT pending")
        },
        Scenario("a device whose clock is wrong") { stage in
            let (_, enrollment) = try await stage.enrolledDevice(ahead: 3600)
            // The process that enrolled has learnt the time from the replies; this one hasn't.
            let phone = try await stage.device(ahead: 3600)
            let (login, id) = try await stage.login(on: phone, enrollment)
            try await phone.answer(id, .approve, is: "delivered")
            try await stage.finishes(login, "ACCEPT")
        },
        Scenario("a server that is restarted in between") { stage in
            let (phone, enrollment, login, id) = try await stage.askedDevice()
            try await stage.server.restart()
            try await stage.sees(login, "REJECT pending")
            try await phone.answer(id, .approve, is: "delivered")
            try await stage.server.restart()
            try await stage.sees(login, "ACCEPT accept")
            try await stage.finishes(login, "ACCEPT")
            try await phone.poll(enrollment, is: "")
        },
        Scenario("a device that is restarted in between") { stage in
            let (_, enrollment, login, id) = try await stage.askedDevice()
            let phone = try await stage.device()
            try await phone.resume(is: "")
            try await phone.poll(enrollment, is: "known: \(stage.text)")
            try await phone.answer(id, .approve, is: "delivered")
            try await stage.finishes(login, "ACCEPT")
        },
    ]
}
