import PushCore
import Testing

extension Scenario {
    static let managingTokens: [Scenario] = [
        Scenario("a changed device token") { stage in
            try await stage.set(.gateway(.firebase))
            let (phone, enrollment) = try await stage.enrolledDevice(token: "old-\(stage.user)")
            try await stage.knows(enrollment.serial, "old-\(stage.user)")
            try await phone.authenticator.deviceTokenChanged(.fcm("new-\(stage.user)"))
            try await stage.knows(enrollment.serial, "new-\(stage.user)")
            _ = try await stage.server.startLogin(of: stage.user)
            for name in ["old", "new"] {
                let pushes = try await stage.server.takePushes(to: "\(name)-\(stage.user)")
                try await stage.note(
                    "pushes to the \(name) token", "\(pushes.count)", name == "new" ? "1" : "0")
            }
            try await phone.authenticator.deviceTokenRemoved(of: .fcm)
            try await stage.knows(enrollment.serial, "no_firebase_token")
        },
        Scenario("two devices of one user") { stage in
            let (phone, phoneToken) = try await stage.enrolledDevice("phone")
            let (tablet, tabletToken) = try await stage.enrolledDevice("tablet")
            let (login, id) = try await stage.login(on: phone, phoneToken)
            let question = stage.text
            try await tablet.poll(tabletToken, is: "new: \(question)")
            try await phone.answer(id, .approve, is: "delivered")
            try await stage.sees(login, "ACCEPT accept")
            try await tablet.poll(tabletToken, is: "known: \(question)")
            try await stage.finishes(login, "ACCEPT")
            try await tablet.poll(tabletToken, is: "over: unknown")
        },
        Scenario("two devices that say different things") { stage in
            let (phone, phoneToken) = try await stage.enrolledDevice("phone")
            let (tablet, tabletToken) = try await stage.enrolledDevice("tablet")
            let (login, one) = try await stage.login(on: phone, phoneToken)
            let other = try #require(try await tablet.poll(tabletToken).first)
            try await phone.answer(one, .deny(.unexpected), is: "delivered")
            try await stage.sees(login, "DECLINED declined")
            try await tablet.answer(other, .approve, is: "delivered")
            try await stage.sees(login, "ACCEPT accept")
            try await stage.finishes(login, "ACCEPT")
        },
        Scenario("new keys for a token") { stage in
            let (phone, enrollment, login, _) = try await stage.askedDevice()
            let code = try await stage.server.code(for: stage.user, serial: enrollment.serial)
            let question = stage.text
            try await phone.poll(enrollment, is: "known: \(question)")
            let renewed = try #require(try await phone.enroll(code.text))
            try await stage.note("the same token", "\(renewed.id == enrollment.id)", "true")
            let id = try #require(
                try await phone.poll(renewed, is: "known: \(question)").first)
            try await phone.answer(id, .approve, is: "delivered")
            try await stage.finishes(login, "ACCEPT")
        },
        Scenario("new keys for a token, on another device") { stage in
            let (phone, enrollment, login, id) = try await stage.askedDevice()
            let challenge = try await phone.authenticator.challenge(id)
            let code = try await stage.server.code(for: stage.user, serial: enrollment.serial)
            let tablet = try await stage.device("tablet")
            let renewed = try #require(try await tablet.enroll(code.text))
            try await phone.poll(enrollment, is: "server(status: 400)")
            try await phone.resolve(challenge, .approve, is: "not taken: stateChanged")
            try await phone.state(of: enrollment, is: "active")
            let found = try await tablet.poll(
                renewed, is: "new: \(stage.text)")
            try await tablet.answer(try #require(found.first), .approve, is: "delivered")
            try await stage.finishes(login, "ACCEPT")
        },
        Scenario("a token that is deleted") { stage in
            let (phone, enrollment, login, id) = try await stage.askedDevice()
            let challenge = try await phone.authenticator.challenge(id)
            try await stage.server.deleteToken(enrollment.serial)
            try await phone.poll(enrollment, is: "server(status: 400)")
            try await phone.state(of: enrollment, is: "active")
            try await phone.resolve(challenge, .approve, is: "not taken: stateChanged")
            try await phone.state(of: enrollment, is: "needsReenrollment")
            try await stage.sees(login, "REJECT pending")
        },
        Scenario("a token that is deleted, where errors are hidden") { stage in
            let (phone, enrollment, _, id) = try await stage.askedDevice()
            let challenge = try await phone.authenticator.challenge(id)
            try await stage.server.deleteToken(enrollment.serial)
            try await stage.set(.errorsHidden(true))
            try await phone.poll(enrollment, is: "server(status: 400)")
            try await phone.resolve(challenge, .approve, is: "not taken: stateChanged")
            try await stage.set(.errorsHidden(false))
            try await phone.state(of: enrollment, is: "needsReenrollment")
        },
        Scenario("a token that is disabled meanwhile") { stage in
            let (phone, enrollment, login, id) = try await stage.askedDevice()
            try await stage.server.setToken(enrollment.serial, isEnabled: false)
            try await phone.poll(enrollment, is: "known: \(stage.text)")
            try await phone.answer(id, .approve, is: "delivered")
            try await stage.finishes(login, "REJECT")
        },
        Scenario("a token that is removed from the device") { stage in
            try await stage.set(.gateway(.firebase))
            let (phone, enrollment) = try await stage.enrolledDevice(token: "gone-\(stage.user)")
            try await phone.authenticator.remove(enrollment.id)
            try await stage.knows(enrollment.serial, "no_firebase_token")
        },
    ]
}
