import Foundation
import HTTPTypes
import PushCore
import PushForgeRockSimulator
import PushTesting
import Testing

struct RegistrationTests {
    private func phone(_ bench: Bench) async throws -> Phone {
        try Phone(scanning: await bench.am.enrollmentURI(for: "jane"))
    }

    @Test func `a registration is one shot, even if the same bytes come again`() async throws {
        let bench = Bench()
        let phone = try await phone(bench)
        let body = try phone.registrationBody()
        #expect(try await bench.post(body, to: "register") == 200)
        #expect(try await bench.post(body, to: "register") == 400)
        #expect(await bench.am.devices(of: "jane").count == 1)
    }

    @Test func `success is an empty object with AM's headers`() async throws {
        let bench = Bench()
        let body = try await phone(bench).registrationBody()
        let reply = try await bench.post(body.data, to: bench.base + "register")
        #expect(reply.status == 200)
        #expect(reply.text == "{}")
        #expect(reply.headers[.contentType] == "application/json;charset=UTF-8")
        #expect(reply.headers[try #require(.init("Content-API-Version"))] == "resource=1.0")
    }

    @Test func `whatever a device gets wrong is the same 400, and leaves the registration open`()
        async throws
    {
        let bench = Bench()
        let phone = try await phone(bench)
        let response = try #require(try phone.registrationClaims()["response"]?.string)
        let bad = [
            response.replacingOccurrences(of: "=", with: ""),
            response.replacingOccurrences(of: "+", with: "-")
                .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: ""),
            response + "=", "", String(response.reversed()),
        ]
        for text in bad {
            var claims = try phone.registrationClaims()
            claims["response"] = .string(text)
            let body = try phone.registrationBody(claims).data
            let reply = try await bench.post(body, to: bench.base + "register")
            #expect(reply.status == 400)
            #expect(reply.text == #"{"code":400,"reason":"Bad Request","message":"Bad request."}"#)
        }
        #expect(try await bench.post(phone.registrationBody(), to: "register") == 200)
    }

    @Test(arguments: [
        JSON.object(["typ": "JWT", "alg": "none"]), ["typ": "JWT", "alg": "HS384"],
        ["typ": "JWT", "alg": "hs256"], ["typ": "JWT"], ["alg": ["HS256"]],
    ])
    func `only HS256 is taken, whatever else the MAC matches`(header: JSON) async throws {
        let bench = Bench()
        let phone = try await phone(bench)
        let body: JSON = [
            "messageId": .string(try #require(phone.parameters["m"])),
            "jwt": .string(try phone.jwt(phone.registrationClaims(), header: header)),
        ]
        #expect(try await bench.post(body, to: "register") == 400)
    }

    @Test func `a token signed with another key is refused`() async throws {
        let bench = Bench()
        let phone = try await phone(bench)
        let jwt = try phone.jwt(phone.registrationClaims(), key: Data(count: 32))
        let body: JSON = [
            "messageId": .string(try #require(phone.parameters["m"])), "jwt": .string(jwt),
        ]
        #expect(try await bench.post(body, to: "register") == 400)
        #expect(await bench.am.devices(of: "jane").isEmpty)
    }

    @Test func `the message identifier decides, not the action`() async throws {
        let bench = Bench()
        let phone = try await phone(bench)
        #expect(try await bench.post(phone.registrationBody(), to: "authenticate") == 200)
        let (login, push) = try await bench.login()
        #expect(try await bench.post(phone.answerBody(push), to: "register") == 200)
        #expect(try await bench.am.status(of: login.id) == .approved)
    }

    @Test func `a message identifier nobody gave out is refused`() async throws {
        let bench = Bench()
        let phone = try await phone(bench)
        var body = try phone.registrationBody().object ?? [:]
        body["messageId"] = "REGISTER:00000000-0000-4000-8000-0000000000001760000000000"
        #expect(try await bench.post(.object(body), to: "register") == 400)
        body["messageId"] = nil
        #expect(try await bench.post(.object(body), to: "register") == 400)
        for odd in ["no colon", "OTHER:1", "register:1"] {
            body["messageId"] = .string(odd)
            #expect(try await bench.post(.object(body), to: "register") == 500)
        }
    }

    @Test func `a token without response, or none at all, is the server's own error`() async throws
    {
        let bench = Bench()
        let phone = try await phone(bench)
        var body = try phone.registrationBody().object ?? [:]
        let padded = try phone.jwt([:]).replacingOccurrences(of: ".", with: "=.")
        for jwt in ["", "a.b", "a.b.c", "....", padded, try phone.jwt(["deviceId": "x"])] {
            body["jwt"] = .string(jwt)
            #expect(try await bench.post(.object(body), to: "register") == 500)
        }
        body["jwt"] = nil
        #expect(try await bench.post(.object(body), to: "register") == 500)
    }

    @Test(arguments: [
        (ForgeRockSimulator.Generation.a, 500), (.b, 500), (.c, 400), (.d, 400),
    ])
    func `a device token that SNS refuses leaves nothing behind and may come again`(
        generation: ForgeRockSimulator.Generation, status: Int
    ) async throws {
        let bench = Bench(generation) { $0.refusesDeviceToken = { $0 == "bad" } }
        var phone = try await phone(bench)
        phone.deviceID = "bad"
        #expect(try await bench.post(phone.registrationBody(), to: "register") == status)
        #expect(await bench.am.devices(of: "jane").isEmpty)
        phone.deviceID = "good"
        #expect(try await bench.post(phone.registrationBody(), to: "register") == 200)
    }

    @Test(arguments: ["apns", "gcm", "APNS", "fcm"])
    func `exactly apns means Apple, anything else means Google`(type: String) async throws {
        let bench = Bench()
        _ = try await bench.enrolled { $0.communicationType = .string(type) }
        let token = try #require(await bench.am.devices(of: "jane").first?.deviceToken)
        switch token {
        case .apns: #expect(type == "apns")
        case .fcm: #expect(type != "apns")
        }
    }

    @Test func `a registration without communication type is the server's own error`() async throws
    {
        let bench = Bench()
        var phone = try await phone(bench)
        phone.communicationType = nil
        #expect(try await bench.post(phone.registrationBody(), to: "register") == 500)
    }

    @Test func `a registration after the cache's time is refused, unless the reaper is slow`()
        async throws
    {
        for isSlow in [false, true] {
            let bench = Bench {
                $0.isReaperSlow = isSlow
                $0.registrationTimeout = .seconds(600)
            }
            let phone = try await phone(bench)
            bench.clock.advance(by: .seconds(121))
            let status = try await bench.post(phone.registrationBody(), to: "register")
            #expect(status == (isSlow ? 200 : 400))
        }
    }

    @Test func `a registration after the journey gave up gets 200 and saves no device`()
        async throws
    {
        let bench = Bench()
        let phone = try await phone(bench)
        bench.clock.advance(by: .seconds(61))
        #expect(try await bench.post(phone.registrationBody(), to: "register") == 200)
        #expect(await bench.am.devices(of: "jane").isEmpty)
    }
}
