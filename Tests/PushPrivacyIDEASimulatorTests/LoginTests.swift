import Foundation
import PushCore
import PushPrivacyIDEASimulator
import PushTesting
import Testing

/// What relying parties start, see and end, and what gateways are asked.
@Suite struct LoginTests {
    @Test func `one login asks each token of the user, each in its own name`() async throws {
        let bench = Bench()
        let phones = [try await bench.enrolled(), try await bench.enrolled()]
        try await bench.enrolled("bob")
        let login = try await bench.server.startLogin(of: "ada", asking: .number)
        let pushes = try await bench.server.takePushes().map {
            try #require(try JSON(parsing: $0.payload).object)
        }
        #expect(pushes.compactMap { $0["serial"]?.string } == phones.map(\.serial))
        #expect(Set(pushes.compactMap { $0["nonce"]?.string }).count == 2)
        #expect(pushes[0]["require_presence"] == pushes[1]["require_presence"])
        let nonce = try #require(pushes[0]["nonce"]?.string)
        let right = try #require(login.shown)
        #expect(try await bench.answer(phones[0], nonce, [("presence_answer", right)]).isYes)
        // The other's stays listed until the relying party has finished.
        #expect(try await bench.listed(phones[1]).count == 1)
        #expect(try await bench.server.finish(login.id))
        #expect(try await bench.listed(phones[1]).isEmpty)
    }

    @Test func `a token that was disabled is answered, and only the last call finds out`()
        async throws
    {
        let bench = Bench()
        let phone = try await bench.enrolled()
        let (login, _, nonce) = try await bench.login()
        await bench.server.setEnabled(false, token: phone.serial)
        #expect(try await bench.listed(phone).count == 1)
        #expect(try await bench.answer(phone, nonce).isYes)
        #expect(try await bench.state(login) == "ACCEPT accept")
        #expect(try await bench.server.status(of: login.id) == .failed)
        let error = await #expect(throws: PushError.self) {
            try await bench.server.startLogin(of: "ada", asking: .confirm)
        }
        #expect(error?.code == .notFound)
    }

    @Test func `a blocked user's answer is refused for now`() async throws {
        let bench = Bench { $0.blockedMessage = "Try later" }
        let phone = try await bench.enrolled()
        let nonce = try await bench.login().nonce
        await bench.server.setBlocked(true, user: "ada")
        let reply = try await bench.answer(phone, nonce)
        #expect(reply.isNo)
        #expect(reply.json?["detail"]?["message"] == "Try later")
        await bench.server.setBlocked(false, user: "ada")
        #expect(try await bench.answer(phone, nonce).isYes)
    }

    @Test func `after a yes 3.14 gives the relying party five minutes more`() async throws {
        let bench = Bench()
        let phone = try await bench.enrolled()
        let (login, _, nonce) = try await bench.login()
        bench.clock.advance(by: .seconds(119))
        #expect(try await bench.answer(phone, nonce).isYes)
        bench.clock.advance(by: .seconds(300))
        #expect(try await bench.state(login) == "ACCEPT accept")
        bench.clock.advance(by: .seconds(1))
        #expect(try await bench.server.finish(login.id) == false)
        #expect(try await bench.server.status(of: login.id) == .expired)
    }

    @Test func `a cancelled login is gone from the list`() async throws {
        let bench = Bench()
        let phone = try await bench.enrolled()
        let (login, _, nonce) = try await bench.login()
        try await bench.server.cancelLogin(login.id)
        #expect(try await bench.listed(phone).isEmpty)
        #expect(try await bench.answer(phone, nonce).isNo)
        #expect(try await bench.server.status(of: login.id) == .failed)
    }

    @Test func `nobody knows a login that wasn't started`() async throws {
        let bench = Bench()
        for call in [
            { _ = try await bench.server.status(of: "1") },
            { _ = try await bench.server.transaction("1") },
            { _ = try await bench.server.finish("1") },
            { try await bench.server.cancelLogin("1") },
            { try await bench.server.repeatPushes(of: "1") },
        ] as [() async throws -> Void] {
            let error = await #expect(throws: PushError.self) { try await call() }
            #expect(error?.code == .notFound)
        }
    }

    @Test func `a login that the release or the policies don't have isn't started`() async throws {
        let bench = Bench(.v39)
        try await bench.enrolled()
        for kind in [SimulatedLogin.Kind.number, .biometry] {
            let error = await #expect(throws: PushError.self) {
                try await bench.server.startLogin(of: "ada", asking: kind)
            }
            #expect(error?.code == .unsupported)
        }
        await bench.server.configure {
            $0.gatewayFails = true
            $0.polling = .deny
        }
        let error = await #expect(throws: PushError.self) {
            try await bench.server.startLogin(of: "ada", asking: .confirm)
        }
        #expect(error?.code == .invalidArgument)
    }

    // MARK: Gateways

    @Test func `a server without a gateway leaves challenges to the polls`() async throws {
        for change in [{ $0.gateway = .pollOnly }, { $0.gatewayFails = true }]
            as [@Sendable (inout PrivacyIDEASimulator.Configuration) -> Void]
        {
            let bench = Bench()
            let phone = try await bench.enrolled()
            await bench.server.configure(change)
            _ = try await bench.server.startLogin(of: "ada", asking: .confirm)
            #expect(await bench.server.takePushes().isEmpty)
            #expect(try await bench.listed(phone).count == 1)
        }
    }

    @Test func `an HTTP gateway gets the device token and the fields`() async throws {
        let bench = Bench { $0.gateway = .http }
        try await bench.enrolled()
        let fields = try await bench.login().fields
        let request = try #require(await bench.server.takeGatewayRequests().first)
        #expect(request.gateway == .http)
        let expected: JSON = ["token": "dA1:APA91b_x-Y", "data": .object(fields)]
        #expect(try JSON(parsing: request.body) == expected)
    }

    @Test func `an Apple token gets the fields beside what the system shows`() async throws {
        let bench = Bench { $0.gateway = .http }
        let code = try Code(try await bench.server.enrollmentURI(for: "ada"))
        let hex = String(repeating: "0A", count: 32)
        let phone = try Phone(serial: code["serial"] ?? "")
        #expect(await bench.enroll(phone, code, ["fbtoken": hex]).isYes)
        _ = try await bench.server.startLogin(of: "ada", asking: .confirm)
        let push = try #require(await bench.server.takePushes().first)
        #expect(push.deviceToken == .apns(hex: hex, isSandbox: false))
        let payload = try JSON(parsing: push.payload)
        #expect(payload["aps"]?["alert"]?["body"] == payload["question"])
        #expect(payload["serial"]?.string == phone.serial)
    }

    @Test func `a push can come again`() async throws {
        let bench = Bench()
        try await bench.enrolled()
        let (login, fields, _) = try await bench.login(spoiledBy: .repeated)
        try await bench.server.repeatPushes(of: login.id)
        let again = await bench.server.takePushes()
        #expect(again.map(\.payload) == [JSON.object(fields).data])
    }

    @Test func `challenges lead where the server moved`() async throws {
        let bench = Bench()
        try await bench.enrolled()
        try await bench.server.move(to: "https://new.example.com")
        #expect(try await bench.login().fields["url"] == "https://new.example.com/ttype/push")
        await bench.server.configure { $0.challengeURL = "https://pi.example.org/x?y=1" }
        #expect(try await bench.login().fields["url"] == "https://pi.example.org/x?y=1")
    }
}
