import CryptoExtras
import Foundation
import HTTPTypes
import PushCore
import PushPrivacyIDEASimulator
import PushTesting
import Testing

/// Polls, and changes of the device token.
@Suite struct PollTests {
    @Test func `a poll lists what waits, the oldest first, with the bytes of the push`()
        async throws
    {
        let bench = Bench()
        let phone = try await bench.enrolled()
        #expect(try await bench.listed(phone).isEmpty)
        let first = try await bench.login()
        let second = try await bench.login(.number)
        #expect(try await bench.listed(phone) == [first.fields, second.fields])
    }

    @Test(arguments: [(-60.0, true), (60, true), (-61, false), (61, false)])
    func `a poll is good for a minute before and after its time`(
        ahead: TimeInterval, isTaken: Bool
    ) async throws {
        let bench = Bench()
        let phone = try await bench.enrolled()
        let reply = try await bench.poll(phone, ahead: ahead)
        #expect(reply.status == (isTaken ? 200 : 400))
        #expect(reply.code == (isTaken ? nil : 10))
    }

    @Test func `a server whose clock is off judges by its own, and says its time`() async throws {
        let bench = Bench { $0.clockOffset = .seconds(90) }
        let phone = try await bench.enrolled()
        let refused = try await bench.poll(phone)
        #expect(refused.refusal == "400/10")
        #expect(refused.headers[.date] == "Sun, 22 Nov 2026 12:01:30 GMT")
        #expect(refused.json?["time"]?.double == Bench.now.timeIntervalSince1970 + 90)
        #expect(try await bench.poll(phone, ahead: 90).status == 200)
    }

    @Test(arguments: [
        ("2026-11-22T12:00:00Z", 200), ("2026-11-22T12:00:00.5Z", 200),
        ("2026-11-22T13:00:00+01:00", 200), ("2026-11-22T12:00:00.000000+00:00", 200),
        ("1795348800", 400), ("now", 400), ("", 400), ("2026-13-22T12:00:00Z", 400),
    ])
    func `a time may have other forms of ISO 8601, and nothing else`(
        text: String, status: Int
    ) async throws {
        let bench = Bench()
        let phone = try await bench.enrolled()
        #expect(try await bench.poll(phone, ["timestamp": text]).status == status)
    }

    @Test func `a signature in another form, by another key or scheme is refused`() async throws {
        let bench = Bench()
        let phone = try await bench.enrolled()
        let text = "\(phone.serial)|\(Phone.timestamp(bench.clock.now))"
        let good = try phone.signature(over: text)
        let other = try Phone(serial: phone.serial, key: 1).signature(over: text)
        for bad in [
            good.lowercased(), good.replacing("=", with: ""), "", "!", other,
            try phone.signature(over: text, padding: .PSS), try phone.signature(over: text + " "),
        ] {
            #expect(try await bench.poll(phone, ["signature": bad]).refusal == "400/10")
        }
        #expect(try await bench.poll(phone, ["serial": "PIPU9"]).refusal == "400/10")
        #expect(try await bench.poll(phone, ["signature": good]).status == 200)
    }

    @Test(arguments: ["serial", "timestamp", "signature"])
    func `a poll without one of its parameters is refused`(name: String) async throws {
        let bench = Bench()
        let fields = ["serial", "timestamp", "signature"].filter { $0 != name }
            .map { ($0, "x") }
        let reply = await bench.send(.get, "\(Bench.path)?\(Bench.form(fields))")
        #expect(reply.refusal == "400/905")
    }

    @Test func `where policies forbid polls, answers go on`() async throws {
        let bench = Bench { $0.polling = .deny }
        let phone = try await bench.enrolled()
        let (login, _, nonce) = try await bench.login()
        #expect(try await bench.poll(phone).refusal == "403/303")
        #expect(try await bench.answer(phone, nonce).isYes)
        #expect(try await bench.server.status(of: login.id) == .approved)
        await bench.server.configure { $0.polling = .token }
        #expect(try await bench.poll(phone).refusal == "403/303")
        await bench.server.allowPolling(of: phone.serial)
        #expect(try await bench.poll(phone).status == 200)
    }

    @Test func `hidden errors keep their status, and all have one code`() async throws {
        let bench = Bench { $0.hidesErrors = true }
        let phone = try await bench.enrolled()
        #expect(try await bench.poll(phone, ahead: 90).refusal == "400/-311")
        #expect(try await bench.poll(phone, ["signature": ""]).refusal == "400/-311")
        #expect(try await bench.answer(Phone(serial: "PIPU9"), "N").refusal == "404/-311")
        #expect(await bench.post([("serial", "x")]).refusal == "400/-311")
    }

    @Test func `before 3.14 the texts of a poll are made for the phone's own request`()
        async throws
    {
        let bench = Bench(.v313) { $0.title = "{user}: {ua_string}" }
        let phone = try await bench.enrolled()
        let pushed = try await bench.login().fields
        let listed = try #require(try await bench.listed(phone).first)
        #expect(pushed["question"]?.string == "Log in as ada from 203.0.113.7?")
        #expect(listed["question"]?.string == "Log in as ada from 198.51.100.9?")
        #expect(listed["title"]?.string == "ada: Phone/1")
        #expect(listed["nonce"] == pushed["nonce"])
        #expect(listed["signature"] != pushed["signature"])
        #expect(listed["capabilities"] == nil)
    }

    // MARK: Device token

    private func update(
        _ bench: Bench, _ phone: Phone, to token: String, ahead seconds: TimeInterval = 0
    ) async throws -> Bench.Reply {
        let time = Phone.timestamp(bench.clock.now + seconds)
        return await bench.post([
            ("new_fb_token", token), ("serial", phone.serial), ("timestamp", time),
            ("signature", try phone.signature(over: "\(token)|\(phone.serial)|\(time)")),
        ])
    }

    @Test func `a device token is taken within five minutes, an older one after a newer, too`()
        async throws
    {
        let bench = Bench()
        let phone = try await bench.enrolled()
        #expect(try await update(bench, phone, to: "new").isYes)
        #expect(try await update(bench, phone, to: "old", ahead: -300).isYes)
        #expect(await bench.server.tokens(of: "ada").first?.deviceToken == .fcm("old"))
        #expect(try await update(bench, phone, to: "older", ahead: -301).refusal == "400/10")
        let other = try Phone(serial: phone.serial, key: 1)
        #expect(try await update(bench, other, to: "theirs").refusal == "400/10")
        let unknown = try Phone(serial: "PIPU9")
        #expect(try await update(bench, unknown, to: "x").refusal == "400/10")
        #expect(await bench.post([("new_fb_token", "x")]).refusal == "400/905")
        #expect(await bench.server.tokens(of: "ada").first?.deviceToken == .fcm("old"))
    }

    @Test func `a removed device token gets no push, while the gateway is still asked`()
        async throws
    {
        let bench = Bench()
        let phone = try await bench.enrolled()
        #expect(try await update(bench, phone, to: "no_firebase_token").isYes)
        _ = try await bench.server.startLogin(of: "ada", asking: .confirm)
        #expect(await bench.server.takePushes().isEmpty)
        #expect(await bench.server.takeGatewayRequests().count == 1)
        #expect(try await bench.listed(phone).count == 1)
    }

    // MARK: Other places

    @Test func `another path, another method and a gateway's page aren't JSON`() async throws {
        let bench = Bench()
        #expect(await bench.send(.get, "/ttype/push/").refusal == "404/-")
        #expect(await bench.send(.put, Bench.path).refusal == "405/-")
        await bench.server.forcePage(status: 502)
        let page = await bench.send(.get, Bench.path)
        #expect(page.status == 502)
        #expect(page.headers[.contentType] == "text/html")
        await bench.server.force(status: 429, times: 1, code: -500, retryAfter: 7)
        let busy = await bench.send(.get, Bench.path)
        #expect(busy.headers[.retryAfter] == "7")
        #expect(busy.refusal == "429/-500")
        #expect(await bench.send(.get, Bench.path).refusal == "400/905")
        #expect(await bench.server.exchanges.count == 5)
    }

    @Test func `a policy hides the release`() async throws {
        let bench = Bench { $0.hidesVersion = true }
        let phone = try await bench.enrolled()
        let reply = try await bench.poll(phone)
        #expect(reply.json?["version"] == nil)
        #expect(reply.json?["versionnumber"] == nil)
    }
}
