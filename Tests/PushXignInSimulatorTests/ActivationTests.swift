import Crypto
import Foundation
import HTTPTypes
import IndependentEncodings
import PushCore
import PushTesting
import PushXignInSimulator
import Testing

/// Push tokens, removal, and keys that change.
struct ActivationTests {
    private let bench = Bench()

    private func setToken(
        _ phone: Phone, _ token: JSON, platform: JSON = "test",
        change: (inout Draft) -> Void = { _ in }
    ) async throws -> Answer {
        try await bench.ask(
            phone, .put, "activations/\(phone.activation)/push-token",
            ["token": token, "platform": platform], change: change)
    }

    private func token(_ phone: Phone) async -> DeviceToken? {
        await bench.manager.devices(of: "jane").first { $0.id == phone.activation }?.deviceToken
    }

    @Test func `a token replaces the last, and null removes it`() async throws {
        let phone = try await bench.personalized()
        #expect(try await setToken(phone, "token-2", platform: "fcm").data == ["token_set": true])
        #expect(await token(phone) == .fcm("token-2"))
        #expect(try await setToken(phone, "0aff", platform: "apns").data == ["token_set": true])
        #expect(await token(phone) == .apns(hex: "0aff", isSandbox: false))
        #expect(try await setToken(phone, .null).data == ["token_set": false])
        #expect(await token(phone) == nil)
    }

    @Test func `after null no message is sent, not even a cancel`() async throws {
        let phone = try await bench.personalized()
        let (first, pushes) = try await bench.login()
        #expect(pushes.count == 1)
        _ = try await setToken(phone, .null)
        try await bench.manager.cancel(first)
        #expect(try await bench.received().isEmpty)
        let (id, none) = try await bench.login()
        #expect(none.isEmpty)
        #expect(try await bench.status(id) == .waiting)
        _ = try await setToken(phone, "token-3")
        #expect(try await bench.login().pushes.count == 1)
    }

    @Test func `an older update that arrives late changes nothing`() async throws {
        let phone = try await bench.personalized()
        bench.clock.advance(by: .seconds(10))
        let old = bench.now - 1
        #expect(try await setToken(phone, .null).data == ["token_set": false])
        let late = try await setToken(phone, "old") {
            $0.claims["iat"] = .number(.init(old))
            $0.claims["exp"] = .number(.init(old + 60))
        }
        #expect(late.data == ["token_set": false])
        #expect(await token(phone) == nil)
        // Of the same second, the last counts.
        #expect(try await setToken(phone, "new").data == ["token_set": true])
        #expect(await token(phone) == .fcm("new"))
    }

    @Test func `an update from before the personalization changes nothing`() async throws {
        let phone = try await bench.personalized()
        let old = bench.now - 1
        let late = try await setToken(phone, "old") {
            $0.claims["iat"] = .number(.init(old))
            $0.claims["exp"] = .number(.init(old + 60))
        }
        #expect(late.data == ["token_set": true])
        #expect(await token(phone) == .fcm("token-phone"))
    }

    @Test func `a token of no known platform, or none at all, is malformed`() async throws {
        let phone = try await bench.personalized()
        for body: JSON in [
            ["token": "x"], ["platform": "test"], ["token": "x", "platform": "windows"],
            ["token": 1, "platform": "test"],
        ] {
            let answer = try await bench.ask(
                phone, .put, "activations/\(phone.activation)/push-token", body)
            #expect(answer.verdict == "400 malformed_request")
        }
        #expect(await token(phone) == .fcm("token-phone"))
    }

    @Test func `nobody changes another's activation`() async throws {
        let phone = try await bench.personalized()
        let other = try await bench.personalized(label: "other")
        let calls: [(HTTPRequest.Method, String, JSON?)] = [
            (.put, "/push-token", ["token": .null, "platform": "test"]), (.delete, "", nil),
            (.get, "/manager-keys", nil),
        ]
        for (method, path, body) in calls {
            let answer = try await bench.ask(
                other, method, "activations/\(phone.activation)\(path)", body)
            #expect(answer.verdict == "404 activation_unknown")
        }
        #expect(await bench.manager.devices(of: "jane").count == 2)
        #expect(await token(phone) == .fcm("token-phone"))
    }

    @Test func `a removed activation is gone, its token with it`() async throws {
        let phone = try await bench.personalized()
        let answer = try await bench.ask(phone, .delete, "activations/\(phone.activation)")
        #expect(answer.data == ["removed": true])
        #expect(await bench.manager.devices(of: "jane").isEmpty)
        let again = try await bench.ask(phone, .delete, "activations/\(phone.activation)")
        #expect(again.verdict == "404 activation_unknown")
        await #expect(throws: PushError.self) { try await bench.login() }
    }

    @Test func `a token that the push service gave up gets no message`() async throws {
        let phone = try await bench.personalized()
        try await bench.manager.forgetDeviceToken(of: phone.activation)
        #expect(try await bench.login().pushes.isEmpty)
        await #expect(throws: PushError.self) {
            try await bench.manager.forgetDeviceToken(of: "act-none")
        }
    }

    @Test func `a new key signs messages at once, and answers that devices can still believe`()
        async throws
    {
        let phone = try await bench.personalized()
        await bench.manager.addSigningKey()
        let (_, pushes) = try await bench.login()
        let kid = pushes[0].token.header["kid"]
        #expect(kid != .string(thumbprint(phone.managerKey)))
        #expect(!pushes[0].token.isSigned(by: phone.managerKey))
        // `ask` checks that the key pinned at personalization signed this.
        let answer = try await bench.ask(
            phone, .get, "activations/\(phone.activation)/manager-keys")
        let keys = try #require(answer.data["manager_keys"]?["keys"]?.array)
        #expect(keys.count == 2)
        #expect(keys.first == jwk(phone.managerKey))
        #expect(keys.last?["kid"] == kid)
        let point =
            try data(base64url: try #require(keys.last?["x"]?.string))
            + data(base64url: try #require(keys.last?["y"]?.string))
        #expect(pushes[0].token.isSigned(by: try .init(rawRepresentation: point)))
        #expect(try await bench.initialize(phone, pushes[0]).status == 200)
    }

    @Test func `after an old key's retirement its links lead nowhere, and the newest signs all`()
        async throws
    {
        var phone = try await bench.personalized()
        let late = try Phone(
            scanning: await bench.manager.personalizationLink(for: "jane"), label: "late")
        await bench.manager.addSigningKey()
        await bench.manager.retireOldSigningKeys()
        var draft = bench.draft(
            phone, .get, "activations/\(phone.activation)/manager-keys", Data())
        let answer = try await bench.send(draft)
        #expect(answer.token?.isSigned(by: phone.managerKey) == false)
        let new = try Phone(
            scanning: await bench.manager.personalizationLink(for: "jane"), label: "new")
        #expect(try await bench.personalize(new).status == 200)
        phone = late
        draft = try bench.personalizationDraft(late)
        #expect(try await bench.send(draft).verdict == "404 activation_unknown")
    }
}
