import Foundation
import HTTPTypes
import PushCore
import Testing

@testable import PushAuthCommand

struct FCMEndpointTests {
    @Test func `a message to this device is accepted with a name, and handed on`() async throws {
        let fixture = try await IntakeFixture()
        let reply = fixture.send([
            "token": .string(fixture.fcm.token), "data": ["a": "1", "b": "two"],
            "notification": ["title": "Log in?"],
            "android": ["priority": "high", "ttl": "90.5s", "collapse_key": "login"],
        ])
        #expect(reply.status == .ok)
        let name = try #require(reply.body?["name"]?.string)
        #expect(name.hasPrefix("projects/\(fixture.account.project)/messages/0:"))
        let push = try #require(reply.push)
        #expect(push.push.message.content == ["a": "1", "b": "two"])
        #expect(push.push.intake == "fcm")
        #expect(push.expiry == IntakeFixture.now + 90.5)
        #expect(push.collapse == "login")
        #expect(push.isUrgent)
        #expect(push.push.drop == nil)
    }

    @Test func `names may be in camel case, and Android's data wins`() async throws {
        let fixture = try await IntakeFixture()
        let reply = fixture.send([
            "token": .string(fixture.fcm.token), "data": ["a": "1"],
            "android": ["data": ["b": "2"], "collapseKey": "k", "priority": "NORMAL"],
        ])
        #expect(reply.push?.push.message.content == ["b": "2"])
        #expect(reply.push?.collapse == "k")
        #expect(reply.push?.isUrgent == false)
    }

    @Test func `a message lives four weeks by default, and one for now or never doesn't end`()
        async throws
    {
        let fixture = try await IntakeFixture()
        let token = JSON.string(fixture.fcm.token)
        #expect(fixture.send(["token": token]).push?.expiry == IntakeFixture.now + 2_419_200)
        let now = try #require(fixture.send(["token": token, "android": ["ttl": "0s"]]).push)
        #expect(now.expiry == nil)
    }

    @Test func `a trial is checked and not delivered`() async throws {
        let fixture = try await IntakeFixture()
        let good = fixture.send(["token": .string(fixture.fcm.token)], trial: true)
        #expect(good.status == .ok)
        #expect(good.push == nil)
        let stranger = String(repeating: "s", count: 150)
        let bad = fixture.send(["token": .string(stranger)], trial: true)
        #expect(bad.googleError == "NOT_FOUND UNREGISTERED")
    }

    @Test(
        arguments: [
            ["colour\(Self.marks)": "red"], ["android": ["priority": .string("high\(Self.marks)")]],
            ["data": ["google\(Self.marks)": "a"]], ["data": ["a\(Self.marks)": "b"]],
        ] as [JSON.Object])
    func `a refusal shows little of what was sent, however few characters it is`(
        message: JSON.Object
    ) async throws {
        let fixture = try await IntakeFixture()
        var message = message
        message["token"] = .string(fixture.fcm.token)
        let reply = fixture.send(.object(message))
        #expect(reply.status == .badRequest)
        #expect(reply.response.body.count < 2000)
    }

    /// To Swift one character with the letter before.
    private static let marks = String(repeating: "\u{315}\u{316}", count: 2000)

    @Test func `a message for a topic reaches nobody`() async throws {
        let fixture = try await IntakeFixture()
        for target in ["topic", "condition"] {
            let reply = fixture.send(JSON.object([target: "news"]))
            #expect(reply.status == .ok)
            #expect(reply.push?.push.drop == .unsubscribed)
        }
    }

    @Test func `what can't be a token is the sender's mistake`() async throws {
        let fixture = try await IntakeFixture()
        let spaced = String(repeating: "s", count: 150) + " "
        for text in ["stranger", spaced, String(fixture.fcm.token.dropLast(60))] {
            let reply = fixture.send(["token": .string(text)])
            #expect(reply.status == .badRequest)
            #expect(reply.googleError == "INVALID_ARGUMENT INVALID_ARGUMENT")
            #expect(reply.push == nil)
        }
    }

    @Test func `a token of nobody is unregistered, one of another project is a mismatch`()
        async throws
    {
        let fixture = try await IntakeFixture()
        let unknown = fixture.send(["token": .string(String(repeating: "s", count: 150))])
        #expect(unknown.status == .notFound)
        #expect(unknown.googleError == "NOT_FOUND UNREGISTERED")
        let earlier = FCMToken.make(for: fixture.account.project, random: fixture.random)
        #expect(fixture.send(["token": .string(earlier)]).status == .notFound)
        let foreign = fixture.send([
            "token": .string(FCMToken.make(for: "other", random: fixture.random))
        ])
        #expect(foreign.status == .forbidden)
        #expect(foreign.googleError == "PERMISSION_DENIED SENDER_ID_MISMATCH")
        #expect([unknown, foreign].allSatisfy { $0.push == nil })
    }

    @Test func `without an access token, or with a bad one, the sender is unauthenticated`()
        async throws
    {
        let fixture = try await IntakeFixture()
        let good = fixture.fcm.oauth.tokens.make(.messaging, at: IntakeFixture.now)
        let message: JSON = ["token": .string(fixture.fcm.token)]
        for credential in ["", "Bearer", "Bearer x", "Basic \(good)", good, "Bearer \(good)x"] {
            let reply = fixture.send(message, credential: credential)
            #expect(reply.status == .unauthorized)
            #expect(reply.googleError == "UNAUTHENTICATED")
            #expect(reply.headers[.wwwAuthenticate] == "Bearer")
            #expect(reply.push == nil)
        }
        let late = fixture.send(
            message, credential: "Bearer \(good)", at: IntakeFixture.now + 3601)
        #expect(late.status == .unauthorized)
    }

    @Test func `an access token for something else is denied`() async throws {
        let fixture = try await IntakeFixture()
        var claims = fixture.claims()
        claims["scope"] = "https://www.googleapis.com/auth/drive"
        let access = try #require(
            fixture.grant(try fixture.assertion(claims)).body?["access_token"]?.string)
        let reply = fixture.send(
            ["token": .string(fixture.fcm.token)], credential: "Bearer \(access)")
        #expect(reply.status == .forbidden)
        #expect(reply.googleError == "PERMISSION_DENIED")
    }

    @Test func `another project is denied`() async throws {
        let fixture = try await IntakeFixture()
        let reply = fixture.send(body: Data("{}".utf8), project: "other")
        #expect(reply.status == .forbidden)
        #expect(reply.googleError == "PERMISSION_DENIED")
    }

    /// Messages to this device that are wrong, and the field that is.
    static let wrong: [(message: JSON.Object, field: String)] = [
        (["data": "text"], "message.data"), (["data": ["a": 1]], "message.data[0].value"),
        (["data": ["from": "x"]], "message.data[0].key"),
        (["data": ["message_type": "x"]], "message.data[0].key"),
        (["data": ["google.x": "x"]], "message.data[0].key"),
        (["data": ["gcm.notification.x": "x"]], "message.data[0].key"),
        (["data": ["": "x"]], "message.data[0].key"),
        (["android": []], "message.android"), (["android": ["speed": "x"]], "message.android"),
        (["android": ["priority": "urgent"]], "message.android.priority"),
        (["android": ["priority": 5]], "message.android.priority"),
        (["android": ["ttl": "90"]], "message.android.ttl"),
        (["android": ["ttl": 90]], "message.android.ttl"),
        (["android": ["ttl": "-1s"]], "message.android.ttl"),
        (["android": ["ttl": "1.s"]], "message.android.ttl"),
        (["android": ["ttl": "2419201s"]], "message.android.ttl"),
        (["android": ["collapse_key": 1]], "message.android.collapse_key"),
        (["android": ["collapse_key": "a", "collapseKey": "b"]], "message.android.collapse_key"),
        (["topic": "news"], "message"), (["to": "x"], "message"), (["token": 1], "message.token"),
        (["token": ""], "message.token"), (["token": "a b"], "message.token"),
        (["token": "a\u{0}"], "message.token"),
        (["token": nil], "message"), (["notification": "x"], "message.notification"),
        (["data": ["a": .string(String(repeating: "x", count: 4096))]], "message"),
    ]

    @Test(arguments: wrong.indices)
    func `a message that is wrong is an invalid argument, at its field`(
        _ index: Int
    ) async throws {
        let fixture = try await IntakeFixture()
        var message: JSON.Object = ["token": .string(fixture.fcm.token)]
        for (name, value) in Self.wrong[index].message.members { message[name] = value }
        let reply = fixture.send(.object(message))
        #expect(reply.status == .badRequest)
        #expect(reply.googleError == "INVALID_ARGUMENT INVALID_ARGUMENT")
        let violations = reply.body?["error"]?["details"]?.array?.last?["fieldViolations"]?.array
        #expect(violations?.first?["field"]?.string == Self.wrong[index].field)
        #expect(reply.push == nil)
    }

    @Test func `4096 bytes of keys and values are taken, with what is shown`() async throws {
        let fixture = try await IntakeFixture()
        let token = JSON.string(fixture.fcm.token)
        let text = String(repeating: "x", count: 4090)
        let full: JSON = ["a": .string(text), "bb": "ccc"]
        #expect(fixture.send(["token": token, "data": full]).status == .ok)
        let more = fixture.send(["token": token, "data": full, "notification": ["title": "t"]])
        #expect(more.status == .badRequest)
    }

    @Test(arguments: ["", "[]", "{", "null", "{\"message\":{}}", "{}", "{\"message\":{},\"x\":1}"])
    func `a body that is no request is an invalid argument`(_ body: String) async throws {
        let reply = try await IntakeFixture().send(body: Data(body.utf8))
        #expect(reply.status == .badRequest)
        #expect(reply.googleError.hasPrefix("INVALID_ARGUMENT"))
    }

    @Test(arguments: [
        (HTTPRequest.Method.get, "/v1/projects/p/messages:send"), (.post, "/"),
        (.post, "/v1/projects/p/messages"), (.post, "/v1/projects//messages:send"),
        (.post, "/v1/projects/a/b/messages:send"), (.post, "/v1/projects/p/messages:send%zz"),
    ])
    func `another method or path is not found`(
        _ method: HTTPRequest.Method, _ path: String
    ) async throws {
        let fixture = try await IntakeFixture()
        let reply = fixture.fcm.reply(
            to: fixture.request(method, path), Data(), at: IntakeFixture.now)
        #expect(reply.status == .notFound)
        #expect(reply.googleError == "NOT_FOUND")
    }

    @Test func `a path may be escaped and have a query`() async throws {
        let fixture = try await IntakeFixture()
        let access = fixture.fcm.oauth.tokens.make(.messaging, at: IntakeFixture.now)
        let path = "/v1/projects/\(fixture.account.project)/messages%3Asend?alt=json"
        let body: JSON = ["message": ["token": .string(fixture.fcm.token)]]
        let reply = fixture.fcm.reply(
            to: fixture.request(.post, path, [.authorization: "Bearer \(access)"]), body.data,
            at: IntakeFixture.now)
        #expect(reply.status == .ok)
    }

    @Test func `a full queue is an exceeded quota, and an ending one is unavailable`() {
        let full = FCMRefusal.quotaExceeded.reply
        #expect(full.status == .tooManyRequests)
        #expect(full.googleError == "RESOURCE_EXHAUSTED QUOTA_EXCEEDED")
        #expect(full.headers[.retryAfter] != nil)
        let ending = FCMRefusal.ending(hasOthers: false).reply
        #expect(ending.status == .serviceUnavailable)
        #expect(ending.headers[.retryAfter] == "10")
        #expect(ending.googleError == "UNAVAILABLE UNAVAILABLE")
    }
}
