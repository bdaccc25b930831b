import Foundation
import HTTPTypes
import IndependentEncodings
import PushCore
import PushForgeRockSimulator
import PushTesting
import Testing

/// The simulator and the worked examples agree to the byte.
struct ExampleTests {
    private let clock = ScriptedClock(milliseconds: 1_760_000_000_000, 1_760_000_000_123)

    private func simulator(
        generation: ForgeRockSimulator.Generation = .c
    ) -> ForgeRockSimulator {
        let random = ScriptedRandom(
            bytes(hex: "5d1c3f0a-3b2e-4a55-9a1e-0c2b7f6d8190"), bytes(base64: Example.secret),
            bytes(base64: Example.registrationChallenge),
            bytes(hex: "3f1f0c1e-5a0b-4c67-9d0e-7b1d2a3c4e5f"),
            bytes(base64: Example.loginChallenge),
            // Of 10…99 the 8th; of what is left the 32nd and the 75th; of the three the middle one.
            bytes(hex: "0000000000000007 000000000000001F 000000000000004A 0000000000000001"),
            bytes(hex: "c2a9e6d4-71b3-4f0e-8a55-90be1d7f46c3"))
        var configuration = ForgeRockSimulator.Configuration(
            generation: generation, realm: "/alpha", issuer: "Example Bank", clock: clock,
            random: random)
        configuration.loadBalancerCookie = "amlbcookie=03"
        configuration.enrollment.account = "jane.doe@example.com"
        configuration.enrollment.image = "https://am.example.com/logo.png"
        configuration.customPayload = ["txn": "4711"]
        configuration.sharesContextInfo = true
        configuration.context = .init(
            remoteIP: "203.0.113.7", userAgent: "Mozilla/5.0 (X11; Linux x86_64)", latitude: 51.5,
            longitude: -0.12)
        return ForgeRockSimulator(configuration)
    }

    private func post(
        _ body: String, _ action: String, to am: ForgeRockSimulator
    ) async throws -> Int {
        let request = try Endpoint(Example.url + action).request(.post)
        return await am.respond(to: request, body: Data(body.utf8)).response.status.code
    }

    /// A simulator on which the example's device is registered and asked for the number 42.
    private func waiting(
        generation: ForgeRockSimulator.Generation = .c, communicationType: JSON = "apns",
        spoiledBy fault: ForgeRockSimulator.BadPush? = nil
    ) async throws -> (am: ForgeRockSimulator, push: SimulatedPush) {
        let am = simulator(generation: generation)
        var phone = try Phone(scanning: await am.enrollmentURI(for: "jane"))
        phone.communicationType = communicationType
        #expect(try await post(phone.registrationBody().text, "register", to: am) == 200)
        clock.show(milliseconds: 1_760_000_300_000, 1_760_000_300_001)
        let login = try await am.startLogin(of: "jane", asking: .number, spoiledBy: fault)
        if generation > .a {
            #expect(login.id == Example.loginID)
            #expect(login.shown == "42")
        }
        return (am, try #require(await am.takePushes().first))
    }

    @Test func `the QR code is the example's`() async throws {
        #expect(try await simulator().enrollmentURI(for: "jane") == Example.pushURI)
    }

    @Test func `the combined QR code is the example's`() async throws {
        clock.show(
            milliseconds: 1_760_000_000_000, 1_760_000_000_123, 1_760_000_000_123,
            1_760_000_000_000)
        let random = ScriptedRandom(
            bytes(hex: "5d1c3f0a-3b2e-4a55-9a1e-0c2b7f6d8190"), bytes(base64: Example.secret),
            bytes(base64: Example.registrationChallenge),
            bytes(hex: "3f1f0c1e-5a0b-4c67-9d0e-7b1d2a3c4e5f"),
            bytes(base64: "9feH0HqA/fybVyaAIa9QPSCIp9I="),
            bytes(hex: "a7b6c5d4-1122-4333-8444-556677889900"))
        let am = simulator()
        await am.configure { $0.random = random }
        var options = ForgeRockSimulator.EnrollmentOptions(
            .pushAndTOTP, account: "jane.doe@example.com")
        options.image = "https://am.example.com/logo.png"
        options.policies = #"{"biometricAvailable":{},"deviceTampering":{"score":0.8}}"#
        let uri = try await am.enrollmentURI(for: "jane", options: options)
        #expect(uri == Example.combinedURI)
    }

    @Test(arguments: [true, false])
    func `the example's registration is taken, however its slashes are written`(
        isEscaped: Bool
    ) async throws {
        let am = simulator()
        let phone = try Phone(scanning: await am.enrollmentURI(for: "jane"))
        #expect(
            try phone.registrationClaims()["response"] == .string(Example.registrationResponse))
        let escaped: JSON = [
            "messageId": .string(Example.registrationID),
            "jwt": .string(Example.registrationJWTWithEscapedSlashes),
        ]
        let body = isEscaped ? escaped.text : Example.registrationBody
        #expect(try await post(body, "register", to: am) == 200)
        let device = try #require(await am.devices(of: "jane").first)
        #expect(device.mechanismUID == Example.mechanismUID)
        #expect(device.deviceToken == .apns(hex: phone.deviceID, isSandbox: false))
    }

    @Test func `the push for APNs is the example's`() async throws {
        let push = try await waiting().push
        #expect(String(decoding: push.payload, as: UTF8.self) == Example.apnsPayload)
        #expect(try Received(push).claims.text == Example.pushClaims)
    }

    @Test func `the push for Firebase is the example's data`() async throws {
        let push = try await waiting(communicationType: "gcm").push
        #expect(try push.message().content == JSON(parsing: Example.fcmMessage)["data"])
        guard case .fcm = push.deviceToken else {
            Issue.record("A token that isn't Apple's is Google's.")
            return
        }
    }

    @Test func `a push of generation A claims what the smallest example claims`() async throws {
        let push = try await waiting(generation: .a).push
        #expect(try Received(push).claims == JSON(parsing: Example.smallestPushClaims))
    }

    @Test(arguments: [
        (Example.numberBody, SimulatedLogin.Status.approved), (Example.acceptBody, .approved),
        (Example.denyBody, .denied),
    ])
    func `the example's answers are taken`(
        body: String, status: SimulatedLogin.Status
    ) async throws {
        let am = try await waiting().am
        #expect(try await post(body, "authenticate", to: am) == 200)
        #expect(try await am.status(of: Example.loginID) == status)
    }

    @Test func `the example's new device token is taken`() async throws {
        let am = try await waiting().am
        #expect(try await post(Example.refreshBody, "refresh", to: am) == 200)
        let device = try #require(await am.devices(of: "jane").first)
        let hex = "FFFEFDFCFBFAF9F8F7F6F5F4F3F2F1F0EFEEEDECEBEAE9E8E7E6E5E4E3E2E1E0"
        #expect(device.deviceToken == .apns(hex: hex, isSandbox: false))
        #expect(device.name == "Jane's iPhone")
    }

    @Test(arguments: [
        (ForgeRockSimulator.BadPush.tampered(claim: "n", value: "17,43,86"), Example.tamperedJWT),
        (.signedWithHS384, Example.hs384JWT), (.unsigned, Example.unsignedJWT),
        (.wrongKey, Example.wrongKeyJWT),
    ])
    func `bad pushes are the examples that must be refused`(
        fault: ForgeRockSimulator.BadPush, jwt: String
    ) async throws {
        #expect(try Received(try await waiting(spoiledBy: fault).push).jwt == jwt)
    }
}
