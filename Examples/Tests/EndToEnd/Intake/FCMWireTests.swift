import Foundation
import PushCore
import Testing

@testable import PushAuthCommand

/// The FCM intake, by curl and openssl alone.
struct FCMWireTests {
    @Test(arguments: [nil, "https://oauth2.googleapis.com/token"])
    func `an assertion for the file's token_uri or Google's own gets an access token that sends`(
        _ audience: String?
    ) async throws {
        try await FCMSite.listen { site in
            let token = try await site.accessToken(for: audience)
            let sent = try await site.send(
                ["token": .string(FCMSite.token), "data": ["a": "b"]], with: token)
            #expect(sent.status == 200)
            #expect(await site.pushes.next()?.message.content == ["a": "b"])
        }
    }

    @Test func `a scope that isn't known is refused, and one of another service sends nothing`()
        async throws
    {
        try await FCMSite.listen { site in
            let messaging = "https://www.googleapis.com/auth/firebase.messaging"
            for scope in [
                "https://www.googleapis.com/auth/nonsense", "firebase.messaging", "nonsense",
                "\(messaging) https://www.googleapis.com/auth/nonsense",
            ] {
                let reply = try await site.grant(scope: scope)
                #expect(reply.status == 400)
                #expect(reply.body?["error"] == "invalid_scope")
            }
            let other = try await site.accessToken(scope: "https://www.googleapis.com/auth/drive")
            let sent = try await site.send(["token": .string(FCMSite.token)], with: other)
            #expect(sent.status == 403)
            // What Google's own library for Python asks for, in one go.
            let names = [
                "cloud-platform", "datastore", "devstorage.read_write", "firebase",
                "identitytoolkit", "userinfo.email",
            ]
            let all = names.map { "https://www.googleapis.com/auth/\($0)" }.joined(separator: " ")
            #expect(try await site.grant(scope: all).status == 200)
        }
    }

    @Test func `an access token that is over says so, and a stranger's doesn't`() async throws {
        try await FCMSite.listen { site in
            let message: JSON = ["token": .string(FCMSite.token)]
            let over = try await site.send(message, with: site.expiredToken)
            #expect(over.status == 401)
            #expect(over.body?["error"]?["status"] == "UNAUTHENTICATED")
            let info = over.body?["error"]?["details"]?.array?.first
            #expect(info?["@type"] == "type.googleapis.com/google.rpc.ErrorInfo")
            #expect(info?["reason"] == "ACCESS_TOKEN_EXPIRED")
            #expect(info?["domain"] == "googleapis.com")
            let unknown = try await site.send(message, with: "x")
            #expect(unknown.status == 401)
            #expect(unknown.body?["error"]?["details"] == nil)
        }
    }

    /// Messages that are wrong, the field, and what is said.
    static let wrong: [(message: JSON.Object, field: String, text: String)] = [
        (
            ["data": ["a": 12]], "message.data[0].value",
            "Invalid value at 'message.data[0].value' (TYPE_STRING), 12"
        ),
        (
            ["data": ["a": "b", "c": true]], "message.data[1].value",
            "Invalid value at 'message.data[1].value' (TYPE_STRING), true"
        ),
        (
            ["android": ["data": ["a": [:]]]], "message.android.data[0].value",
            "Invalid value at 'message.android.data[0].value' (TYPE_STRING), {}"
        ),
        (
            ["colour": "red"], "message",
            "Invalid JSON payload received. Unknown name \"colour\" at 'message': Cannot find field."
        ),
        (
            ["notification": ["colour": "red"]], "message.notification",
            "Invalid JSON payload received. Unknown name \"colour\" at 'message.notification': "
                + "Cannot find field."
        ),
        (
            ["android": ["priority": "urgent"]], "message.android.priority",
            "Invalid value at 'message.android.priority' "
                + "(type.googleapis.com/google.firebase.fcm.v1.AndroidMessagePriority), \"urgent\""
        ),
        (
            ["android": ["ttl": "90"]], "message.android.ttl",
            "Invalid value at 'message.android.ttl' (type.googleapis.com/google.protobuf.Duration), "
                + "\"90\""
        ),
        (
            ["data": ["a": "b", "gcm": "x"]], "message.data[1].key",
            "Invalid value at 'message.data[1].key' (a reserved word), \"gcm\""
        ),
    ]

    @Test func `an error names the field and the value`() async throws {
        try await FCMSite.listen { site in
            for (change, field, text) in Self.wrong {
                var message: JSON.Object = ["token": .string(FCMSite.token)]
                for (name, value) in change.members { message[name] = value }
                let reply = try await site.send(.object(message), with: site.freshToken)
                #expect(reply.status == 400)
                let error = reply.body?["error"]
                #expect(error?["status"] == "INVALID_ARGUMENT")
                #expect(error?["message"]?.string == text)
                let details = error?["details"]?.array ?? []
                let request = details.first {
                    $0["@type"] == "type.googleapis.com/google.rpc.BadRequest"
                }
                #expect(
                    request?["fieldViolations"]
                        == [["field": .string(field), "description": .string(text)]])
            }
        }
    }

    @Test func `a data key that is reserved is refused, one that looks alike is taken`()
        async throws
    {
        try await FCMSite.listen { site in
            for (key, status) in [
                ("from", 400), ("message_type", 400), ("google", 400), ("google.c.a", 400),
                ("googleplay", 400), ("gcm", 400), ("gcm.n.e", 400), ("gcmx", 400), ("", 400),
                ("From", 200), ("from_", 200), ("a.google", 200), ("message_types", 200),
            ] {
                let reply = try await site.send(
                    ["token": .string(FCMSite.token), "data": .object([key: "x"])],
                    with: site.freshToken)
                #expect(reply.status == status, "\(key)")
            }
        }
    }

    @Test func `a topic takes 2048 bytes, a device 4096`() async throws {
        try await FCMSite.listen { site in
            for (target, value, limit) in [
                ("topic", "news", 2048), ("condition", "'news' in topics", 2048),
                ("token", FCMSite.token, 4096),
            ] {
                for (size, status) in [(limit, 200), (limit + 1, 400)] {
                    let text = String(repeating: "x", count: size - 1)
                    let reply = try await site.send(
                        .object([target: .string(value), "data": ["a": .string(text)]]),
                        with: site.freshToken)
                    #expect(reply.status == status, "\(target) \(size)")
                }
            }
        }
    }

    @Test func `a message may name the device by its installation ID`() async throws {
        try await FCMSite.listen { site in
            let fid = try #require(site.place["fid"]?.string)
            #expect(fid.wholeMatch(of: /[c-f][A-Za-z0-9_-]{21}/) != nil)
            let other = "c" + String(repeating: "x", count: 21)
            let messages: [(JSON, Int)] = [
                (["fid": .string(fid)], 200), (["token": .string(fid)], 200),
                (["fid": .string(other)], 404), (["token": .string(other)], 404),
                (["fid": .string(FCMSite.token)], 400), (["fid": ""], 400), (["fid": 1], 400),
                (["fid": .string(fid), "token": .string(FCMSite.token)], 400),
                (["fid": .string(fid), "topic": "news"], 400),
            ]
            for (message, status) in messages {
                let reply = try await site.send(message, with: site.freshToken)
                #expect(reply.status == status, "\(message)")
                guard status == 404 else { continue }
                let details = reply.body?["error"]?["details"]?.array
                #expect(details?.first?["errorCode"] == "UNREGISTERED")
            }
        }
    }

    @Test func `Android's second form is taken, and not beside the first`() async throws {
        try await FCMSite.listen { site in
            let forms: [(JSON.Object, Int)] = [
                (["android_v2": ["data": ["b": "2"], "remote_notification": [:]]], 200),
                (["androidV2": ["backgroundSync": [:], "ttl": "3.5s"]], 200),
                (["android_v2": ["priority": "HIGH"]], 400),
                (["android_v2": ["background_sync": ["x": 1]]], 400),
                (["android_v2": ["remote_notification": "x"]], 400),
                (["android_v2": ["ttl": "x"]], 400), (["android_v2": 1], 400),
                (["android_v2": [:], "android": [:]], 400),
            ]
            for (form, status) in forms {
                var message: JSON.Object = ["token": .string(FCMSite.token), "data": ["a": "1"]]
                for (name, value) in form.members { message[name] = value }
                let reply = try await site.send(.object(message), with: site.freshToken)
                #expect(reply.status == status, "\(form)")
            }
            #expect(await site.pushes.next()?.message.content == ["b": "2"])
            #expect(await site.pushes.next()?.message.content == ["a": "1"])
        }
    }
}
