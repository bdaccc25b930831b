import Foundation
import HTTPTypes
import IndependentEncodings
import PushCore
import PushForgeRock
import PushForgeRockSimulator
import PushTesting
import Testing

/// Users who move in, and one-time codes, against the simulated server.
@Suite struct ImportFlowTests {
    private let clock = ManualClock(WorkedExample.issued)

    private func server(
        _ change: (inout ForgeRockSimulator.Configuration) -> Void = { _ in }
    ) -> ForgeRockSimulator {
        var configuration = ForgeRockSimulator.Configuration(
            realm: "/alpha", issuer: "Example Bank", clock: clock)
        change(&configuration)
        return ForgeRockSimulator(configuration)
    }

    private func phone(
        _ am: ForgeRockSimulator
    ) throws -> (provider: ForgeRock, authenticator: PushAuthenticator) {
        let environment = PushEnvironment(
            transport: SimulatedTransport(to: am), store: InMemoryStore(),
            verifier: ScriptedVerifier.willing(), clock: clock,
            device: Device(name: "Jane's phone", platform: .apple))
        let provider = ForgeRock(in: environment)
        return (provider, PushAuthenticator(try PluginRegistry([provider]), in: environment))
    }

    /// What the old SDK would have kept of a code that it enrolled.
    private func stored(_ uri: EnrollmentURI, _ id: Enrollment.ID) -> VendorRecord {
        let members: JSON = [
            "id": "x-push", "mechanismUID": .string(id.name), "type": "pushauth",
            "issuer": .string(uri.issuer), "accountName": .string(uri.account),
            "secret": .string(base64url(uri.sharedSecret.copied)),
            "authenticationEndpoint": .string(uri.authenticationEndpoint.text),
            "registrationEndpoint": .string(uri.registrationEndpoint.text),
            "loadBalancer": .null, "uid": "jane", "timeAdded": 1_760_000_000_500,
        ]
        return .json(members.data, from: .iOS)
    }

    @Test(arguments: ForgeRockSimulator.Generation.allCases, SimulatedLogin.Kind.allCases)
    func `after the move the next push is verified and logs the user in`(
        generation: ForgeRockSimulator.Generation, kind: SimulatedLogin.Kind
    ) async throws {
        let am = server { $0.generation = generation }
        let old = try phone(am)
        try await old.authenticator.deviceTokenChanged(
            .apns(hex: WorkedExample.token, isSandbox: false))
        let text = try await am.enrollmentURI(for: "jane")
        let offer = try #require(
            try old.authenticator.offers(for: .scanned(text: text)).first)
        let id = try await old.authenticator.enroll(offer).id
        let uri = try #require(try EnrollmentURI(text))

        let new = try phone(am)
        let sent = await am.exchanges.count
        let report = await new.provider.importEnrollments(from: [stored(uri, id)])
        #expect(report.taken.map(\.id) == [id])
        #expect(await am.exchanges.count == sent)

        let login = try await am.startLogin(of: "jane", asking: kind)
        let push = try #require(await am.takePushes().first)
        let handler = FRAPushHandler(new.authenticator)
        let notification = try #require(await handler.notification(from: push.message()))
        let outcome =
            switch notification.pushType {
            case .challenge:
                try await notification.accept(challengeResponse: #require(login.shown))
            case .biometric:
                try await notification.accept(title: "Log in", allowDeviceCredentials: false)
            default: try await notification.accept()
            }
        #expect(outcome == .delivered)
        #expect(try await am.status(of: login.id) == .approved)
    }

    // MARK: One-time codes

    @Test(arguments: [
        ForgeRockSimulator.EnrollmentOptions.Kind.pushAndTOTP, .pushAndHOTP, .totp, .hotp,
    ])
    func `AM takes each code once`(kind: ForgeRockSimulator.EnrollmentOptions.Kind) async throws {
        let am = server()
        let phone = try phone(am)
        try await phone.authenticator.deviceTokenChanged(
            .apns(hex: WorkedExample.token, isSandbox: false))
        let text = try await am.enrollmentURI(for: "jane", options: .init(kind))
        let offer = try #require(try phone.authenticator.offers(for: .scanned(text: text)).first)
        #expect(offer.issuer == "Example Bank")
        #expect(offer.account == "jane")
        let id = try await phone.authenticator.enroll(offer).id
        for _ in 0..<3 {
            let code = try await phone.authenticator.code(for: id).text.copiedText()
            #expect(try await am.logIn("jane", with: code) == .accepted)
            #expect(try await am.logIn("jane", with: code) == .refused)
            clock.advance(by: .seconds(30))
        }
    }

    @Test(arguments: ForgeRockSimulator.CodeOptions.Algorithm.allCases, [6, 8])
    func `AM takes codes of each hash and length`(
        algorithm: ForgeRockSimulator.CodeOptions.Algorithm, digits: Int
    ) async throws {
        let am = server()
        let phone = try phone(am)
        var options = ForgeRockSimulator.EnrollmentOptions(.totp)
        options.codes.algorithm = algorithm
        options.codes.digits = digits
        let text = try await am.enrollmentURI(for: "jane", options: options)
        let offer = try #require(try phone.authenticator.offers(for: .scanned(text: text)).first)
        let id = try await phone.authenticator.enroll(offer).id
        let code = try await phone.authenticator.code(for: id).text.copiedText()
        #expect(code.count == digits)
        #expect(try await am.logIn("jane", with: code) == .accepted)
    }

    @Test func `AM takes a counter that is ahead, and none that is behind`() async throws {
        let am = server()
        let phone = try phone(am)
        let text = try await am.enrollmentURI(for: "jane", options: .init(.hotp))
        let offer = try #require(try phone.authenticator.offers(for: .scanned(text: text)).first)
        let id = try await phone.authenticator.enroll(offer).id
        let behind = try await phone.authenticator.code(for: id).text.copiedText()
        for _ in 0..<50 { _ = try await phone.authenticator.code(for: id) }
        let ahead = try await phone.authenticator.code(for: id).text.copiedText()
        #expect(try await am.logIn("jane", with: ahead) == .accepted)
        #expect(try await am.logIn("jane", with: behind) == .refused)
    }

    @Test func `nobody without such a device logs in by a code`() async throws {
        let am = server()
        #expect(
            try await refusal { try await am.logIn("jane", with: "000000") }.code == .notFound)
    }
}
