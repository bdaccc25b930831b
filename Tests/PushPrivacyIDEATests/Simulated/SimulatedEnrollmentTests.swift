import PushCore
import PushPrivacyIDEASimulator
import PushTesting
import Testing

@testable import PushPrivacyIDEA

/// Tokens, from their code to their next code.
@Suite struct SimulatedEnrollmentTests {
    typealias Generation = SimulatedHarness.Generation

    @Test(arguments: Generation.allCases)
    func `a code makes a token that the server can use`(generation: Generation) async throws {
        let harness = try await SimulatedHarness(generation, server: { $0.issuer = "Bank & Söhne" })
        let enrollment = try await harness.enroll()
        #expect(enrollment.state == .active)
        #expect(enrollment.issuer == "Bank & Söhne")
        let token = try #require(await harness.server.tokens(of: "ada").first)
        #expect(token.isUsable && token.deviceToken == Sample.token)
        #expect(enrollment.id.name == "\(token.serial)@https://pi.example.com")
    }

    @Test func `a poll-only token of the newer scheme tells no device token`() async throws {
        let (harness, _) = try await SimulatedHarness.enrolled(server: {
            $0.gateway = .pollOnly
            $0.usesPIAScheme = true
        })
        _ = try await harness.authenticator.deviceTokenChanged(.fcm("another"))
        #expect(await harness.server.tokens(of: "ada").map(\.deviceToken) == [nil])
    }

    @Test func `a code that asks not to verify TLS is refused, or enrolled with TLS verified`()
        async throws
    {
        let strict = try await SimulatedHarness(server: { $0.asksToVerifyTLS = false })
        let error = try await refusal { try await strict.enroll() }
        #expect(error.code == .invalidInvitation && error.reason.contains("sslverify"))
        let (lenient, _) = try await SimulatedHarness.enrolled(
            server: { $0.asksToVerifyTLS = false }, app: { $0.enrollsDespiteSSLVerifyOff = true })
        let (login, challenge) = try await lenient.opened()
        #expect(try await lenient.authenticator.resolve(challenge, with: .approve) == .delivered)
        #expect(try await lenient.status(login) == .approved)
    }

    @Test func `a code is good for as long as it says`() async throws {
        let harness = try await SimulatedHarness(server: { $0.codeLifetime = 2 })
        let code = try await harness.server.enrollmentURI(for: "ada")
        let offers = try harness.authenticator.offers(for: .scanned(text: code))
        harness.clock.advance(by: .seconds(121))
        let error = try await refusal {
            _ = try await harness.authenticator.enroll(try #require(offers.first))
        }
        #expect(error.code == .invitationSpent)
        #expect(await harness.count(.enroll) == 0)
    }

    @Test func `a code that wants the unlocked app asks the user before a yes`() async throws {
        let (harness, _) = try await SimulatedHarness.enrolled(server: {
            $0.appUnlock = "biometric"
        })
        let (login, challenge) = try await harness.opened()
        #expect(try await harness.authenticator.resolve(challenge, with: .approve) == .delivered)
        #expect(await harness.verifier.requests.count == 1)
        #expect(try await harness.status(login) == .approved)
    }

    @Test func `an enrollment whose request was lost is sent once more`() async throws {
        let harness = try await SimulatedHarness()
        await harness.faults.next(.dropBefore)
        try await harness.enroll()
        let (login, challenge) = try await harness.opened()
        #expect(try await harness.authenticator.resolve(challenge, with: .approve) == .delivered)
        #expect(try await harness.status(login) == .approved)
    }

    @Test func `an enrollment whose reply was lost needs a new code`() async throws {
        let harness = try await SimulatedHarness()
        await harness.faults.next(.dropAfter)
        let error = try await refusal { try await harness.enroll(serial: "T1") }
        #expect(error.code == .invitationSpent && error.reason.contains("ask for a new code"))
        #expect(try await harness.authenticator.enrollments().isEmpty)
        try await harness.enroll(serial: "T1")
        let (login, challenge) = try await harness.opened()
        #expect(try await harness.authenticator.resolve(challenge, with: .approve) == .delivered)
        #expect(try await harness.status(login) == .approved)
    }

    @Test func `a locked token and a spent code are refused`() async throws {
        let harness = try await SimulatedHarness()
        let code = try await harness.server.enrollmentURI(for: "ada", serial: "T1")
        await harness.server.setLocked(true, token: "T1")
        #expect(try await refusal { _ = try await harness.enroll(code) }.code == .invalidInvitation)
        await harness.server.removeToken("T1")
        let spent = try await harness.server.enrollmentURI(for: "ada", serial: "T2")
        await harness.server.removeToken("T2")
        #expect(try await refusal { _ = try await harness.enroll(spent) }.code == .invitationSpent)
        #expect(try await harness.authenticator.enrollments().isEmpty)
    }

    // MARK: Rollover

    @Test
    func `after another code of the token old pushes are nobody's, and new ones are answered`()
        async throws
    {
        let (harness, id) = try await SimulatedHarness.enrolled()
        let serial = try #require(await harness.server.tokens(of: "ada").first?.serial)
        let before = try await harness.start()
        let old = await harness.server.takePushes()
        let again = try await harness.enroll(serial: serial)
        #expect(again.id == id)
        #expect(try await harness.authenticator.enrollments().map(\.id) == [id])
        for push in old {
            let error = try await refusal {
                _ = try await harness.authenticator.receive(push.message())
            }
            #expect(error.code == .untrusted)
        }
        // What waited is listed again, signed by the new key.
        let found = try #require(try await harness.authenticator.pending(for: id).first?.challenge)
        let challenge = try await harness.authenticator.challenge(found)
        #expect(try await harness.authenticator.resolve(challenge, with: .approve) == .delivered)
        #expect(try await harness.status(before) == .approved)
        let (login, next) = try await harness.opened()
        #expect(try await harness.authenticator.resolve(next, with: .approve) == .delivered)
        #expect(try await harness.status(login) == .approved)
    }

    @Test func `until the server takes the other code the old keys answer`() async throws {
        let (harness, _) = try await SimulatedHarness.enrolled()
        let serial = try #require(await harness.server.tokens(of: "ada").first?.serial)
        await harness.server.setLocked(true, token: serial)
        _ = try await refusal { try await harness.enroll(serial: serial) }
        let (login, challenge) = try await harness.opened()
        #expect(try await harness.authenticator.resolve(challenge, with: .approve) == .delivered)
        #expect(try await harness.status(login) == .approved)
    }

    // MARK: Two servers

    @Test
    func `two servers with one serial are two enrollments, and the key says whose push it is`()
        async throws
    {
        let harness = try await SimulatedHarness()
        let first = try await harness.enroll(serial: "T1")
        let second = try await harness.enroll(serial: "T1", at: harness.other)
        #expect(first.id != second.id)
        for (server, id) in [(harness.server, first.id), (harness.other, second.id)] {
            let login = try await harness.start(at: server)
            let reception = try #require(try await harness.receive(from: server).first?.challenge)
            #expect(reception.enrollment == id)
            let challenge = try await harness.authenticator.challenge(reception)
            #expect(
                try await harness.authenticator.resolve(challenge, with: .approve) == .delivered)
            #expect(try await server.status(of: login.id) == .approved)
        }
    }

    // MARK: Device token

    @Test func `a device token is told, changed and taken away`() async throws {
        let (harness, id) = try await SimulatedHarness.enrolled()
        _ = try await harness.authenticator.deviceTokenChanged(.fcm("dA2:APA91b_z-Q"))
        #expect(await harness.server.tokens(of: "ada").first?.deviceToken == .fcm("dA2:APA91b_z-Q"))
        _ = try await harness.authenticator.deviceTokenRemoved(of: .fcm)
        #expect(await harness.server.tokens(of: "ada").map(\.deviceToken) == [nil])
        // Logins are found without one.
        let login = try await harness.start()
        let found = try #require(try await harness.authenticator.pending(for: id).first?.challenge)
        let challenge = try await harness.authenticator.challenge(found)
        #expect(try await harness.authenticator.resolve(challenge, with: .approve) == .delivered)
        #expect(try await harness.status(login) == .approved)
    }

    @Test(arguments: [FaultPlan.Fault.dropBefore, .dropAfter])
    func `a device token whose request or reply was lost is told in the end`(
        fault: FaultPlan.Fault
    ) async throws {
        let (harness, _) = try await SimulatedHarness.enrolled()
        await harness.faults.next(fault)
        _ = try await harness.authenticator.deviceTokenChanged(.fcm("new"))
        _ = try await harness.authenticator.deviceTokenChanged(.fcm("new"))
        #expect(await harness.server.tokens(of: "ada").first?.deviceToken == .fcm("new"))
    }

    @Test func `Apple's tokens are told by an app whose server has a gateway for them`()
        async throws
    {
        let harness = try await SimulatedHarness(
            server: { $0.gateway = .http }, app: { $0.usesAPNsTokens = true })
        let apns = DeviceToken.apns(hex: String(repeating: "0A", count: 32), isSandbox: false)
        _ = try await harness.authenticator.deviceTokenRemoved(of: .fcm)
        _ = try await harness.authenticator.deviceTokenChanged(apns)
        try await harness.enroll()
        let (login, challenge) = try await harness.opened()
        #expect(try await harness.authenticator.resolve(challenge, with: .approve) == .delivered)
        #expect(try await harness.status(login) == .approved)
    }
}
