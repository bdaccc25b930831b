import Crypto
import Foundation
import HTTPTypes
import IndependentEncodings
import PushCore
import PushTesting
import PushXignInSimulator
import Testing

/// The messages, good and bad.
struct MessageTests {
    private let bench = Bench()

    @Test func `each device with a token gets a message of its own`() async throws {
        let one = try await bench.personalized(label: "one")
        let two = try await bench.personalized(label: "two")
        _ = try await bench.personalized(label: "silent") { $0.token = .null }
        let sent = try await bench.manager.startLogin(of: "jane", asking: .confirm)
        let raw = await bench.manager.takePushes()
        #expect(raw.map(\.deviceToken) == [.fcm("token-one"), .fcm("token-two")])
        let pushes = try raw.map { try Received($0) }
        #expect(pushes.map { $0.claims["aud"]?.string } == [one.activation, two.activation])
        #expect(pushes.map(\.process) == [sent.id, sent.id])
        #expect(Set(pushes.map { $0.claims["jti"]?.string }).count == 2)
        #expect(await bench.manager.takePushes().isEmpty)
    }

    @Test func `a message says little, and no more than it must`() async throws {
        let phone = try await bench.personalized()
        let (id, pushes) = try await bench.login()
        let push = try #require(pushes.first)
        #expect(push.payload.object?.members.map(\.name) == ["oxrw", "oxrw_msg"])
        #expect(push.token.isSigned(by: phone.managerKey))
        #expect(
            push.token.header == [
                "alg": "ES256", "typ": "oxrw-push+jwt",
                "kid": .string(thumbprint(phone.managerKey)),
                "idm": "idm-demo-1",
            ])
        #expect(
            push.claims == [
                "iss": "idm-demo-1", "aud": .string(phone.activation),
                "jti": push.claims["jti"] ?? .null, "iat": .number(.init(bench.now)),
                "exp": .number(.init(bench.now + 180)), "pid": .string(id),
                "msg": "authentication", "ign": false, "min_api": "1.0.0",
                "title": "Sign-in request", "message": "Tap to continue", "prio": "high",
            ])
        #expect(push.text.utf8.count < 3500)
    }

    @Test func `Apple's devices get it beside an empty alert`() async throws {
        _ = try await bench.personalized {
            $0.platform = "apns"
            $0.token = "0aff"
        }
        _ = try await bench.manager.startLogin(of: "jane", asking: .confirm)
        let push = try #require(await bench.manager.takePushes().first)
        #expect(push.deviceToken == .apns(hex: "0aff", isSandbox: false))
        let payload = try push.message().content
        #expect(payload["aps"] == ["content-available": 1])
        #expect(payload["oxrw"] == "1")
        #expect(payload["oxrw_msg"]?.string?.isEmpty == false)
    }

    @Test func `a cancel says why, and lasts as long as its process`() async throws {
        let phone = try await bench.personalized()
        let (id, pushes) = try await bench.login()
        bench.clock.advance(by: .seconds(7))
        try await bench.manager.cancel(id)
        let cancel = try #require(try await bench.received().first)
        #expect(cancel.token.isSigned(by: phone.managerKey))
        #expect(
            cancel.claims == [
                "iss": "idm-demo-1", "aud": .string(phone.activation),
                "jti": cancel.claims["jti"] ?? .null, "iat": .number(.init(bench.now)),
                "exp": pushes[0].claims["exp"] ?? .null, "pid": .string(id), "msg": "cancel",
                "ign": true, "min_api": "1.0.0", "reason": "aborted",
            ])
        #expect(cancel.claims["jti"] != pushes[0].claims["jti"])
    }

    @Test func `texts, priority and flags are as configured`() async throws {
        await bench.manager.configure {
            $0.title = "T"
            $0.message = nil
            $0.priority = .low
            $0.isIgnorable = true
            $0.isCancelIgnorable = false
            $0.versions = [.init(1, 2, 0), .init(1, 1, 0)]
            $0.processLifetime = .seconds(60)
        }
        let phone = try Phone(scanning: await bench.manager.personalizationLink(for: "jane"))
        var draft = try bench.personalizationDraft(phone)
        draft.claims["api"] = ["min": "1.0.0", "max": "1.9.0"]
        #expect(try await bench.checked(draft, by: phone.managerKey).data["api"] == "1.2.0")
        let (id, pushes) = try await bench.login()
        let claims = pushes[0].claims
        #expect(claims["title"] == "T")
        #expect(claims["message"] == nil)
        #expect(claims["prio"] == "low")
        #expect(claims["ign"] == true)
        #expect(claims["min_api"] == "1.1.0")
        #expect(claims["exp"] == .number(.init(bench.now + 60)))
        try await bench.manager.cancel(id)
        #expect(try await bench.received()[0].claims["ign"] == false)
    }

    @Test func `a kind of login without roles is unsupported, a user without devices unknown`()
        async throws
    {
        _ = try await bench.personalized()
        let number = await #expect(throws: PushError.self) {
            try await bench.manager.startLogin(of: "jane", asking: .number)
        }
        #expect(number?.code == .unsupported)
        let nobody = await #expect(throws: PushError.self) {
            try await bench.manager.startLogin(of: "joe", asking: .confirm)
        }
        #expect(nobody?.code == .notFound)
        let unknown = await #expect(throws: PushError.self) {
            try await bench.manager.status(of: "prc-none")
        }
        #expect(unknown?.code == .notFound)
    }

    // MARK: Bad ones

    @Test func `a login with a bad push is genuine at the manager`() async throws {
        let phone = try await bench.personalized()
        for fault in [
            XignInSimulator.BadPush.wrongKey, .unsigned, .expired(ago: .seconds(5)),
            .minimumVersion("9.0.0"),
        ] {
            let (id, pushes) = try await bench.login(spoiledBy: fault)
            let start = try await bench.start(phone, pushes[0])
            #expect(start.status == 200)
            #expect(try await bench.tryPIN("24680", phone, id, start.data).status == 200)
            #expect(try await bench.status(id) == .approved)
        }
    }

    @Test func `an unknown key is named, and signs`() async throws {
        let phone = try await bench.personalized()
        let push = try await bench.login(spoiledBy: .unknownKey).pushes[0]
        #expect(push.token.header["kid"] != .string(thumbprint(phone.managerKey)))
        #expect(!push.token.isSigned(by: phone.managerKey))
    }

    @Test func `a claim can be replaced after signing, or be missing`() async throws {
        let phone = try await bench.personalized()
        let tampered = try await bench.login(
            spoiledBy: .tampered(claim: "pid", value: "prc-victim")
        ).pushes[0]
        #expect(tampered.process == "prc-victim")
        #expect(!tampered.token.isSigned(by: phone.managerKey))
        let missing = try await bench.login(spoiledBy: .missing(claim: "exp")).pushes[0]
        #expect(missing.claims["exp"] == nil)
        #expect(missing.token.isSigned(by: phone.managerKey))
    }

    @Test func `an expired message ended as long ago as it was asked to`() async throws {
        _ = try await bench.personalized()
        let claims = try await bench.login(spoiledBy: .expired(ago: .seconds(5))).pushes[0].claims
        #expect(claims["exp"] == .number(.init(bench.now - 5)))
        #expect(claims["iat"] == .number(.init(bench.now - 185)))
    }

    @Test func `a message can arrive twice, then and later`() async throws {
        _ = try await bench.personalized()
        let (id, pushes) = try await bench.login(spoiledBy: .repeated)
        #expect(pushes.map(\.text) == [pushes[0].text, pushes[0].text])
        try await bench.manager.repeatPushes(of: id)
        #expect(try await bench.received().map(\.text) == [pushes[0].text])
    }

    @Test func `a cancel can arrive first, and then the process is over`() async throws {
        let phone = try await bench.personalized()
        let (id, pushes) = try await bench.login(spoiledBy: .withdrawnFirst)
        #expect(pushes.map { $0.claims["msg"] } == ["cancel", "authentication"])
        #expect(pushes.map(\.process) == [id, id])
        #expect(try await bench.status(id) == .failed)
        #expect(try await bench.initialize(phone, pushes[1]).verdict == "410 process_cancelled")
    }
}
