import PushCore
import PushPrivacyIDEASimulator
import PushTesting
import Testing

@testable import PushPrivacyIDEA

/// Tokens, from their code to their next code.
@Suite struct SimulatedEnrollmentTests {
    typealias Generation = SimulatedWorld.Generation

    @Test(arguments: Generation.allCases)
    func `a code makes a token that the server can use`(generation: Generation) async throws {
        let world = try await SimulatedWorld(generation, server: { $0.issuer = "Bank & Söhne" })
        let enrollment = try await world.enroll()
        #expect(enrollment.state == .active)
        #expect(enrollment.issuer == "Bank & Söhne")
        let token = try #require(await world.server.tokens(of: "ada").first)
        #expect(token.isUsable && token.deviceToken == SimulatedWorld.token)
        #expect(enrollment.id.name == "\(token.serial)@https://pi.example.com")
    }

    @Test func `a poll-only token of the newer scheme tells no device token`() async throws {
        let (world, _) = try await SimulatedWorld.enrolled(server: {
            $0.gateway = .pollOnly
            $0.usesPIAScheme = true
        })
        _ = try await world.authenticator.deviceTokenChanged(.fcm("another"))
        #expect(await world.server.tokens(of: "ada").map(\.deviceToken) == [nil])
    }

    @Test func `a code that asks not to verify TLS is refused, or enrolled with TLS verified`()
        async throws
    {
        let strict = try await SimulatedWorld(server: { $0.asksToVerifyTLS = false })
        let error = try await refused { try await strict.enroll() }
        #expect(error.code == .invalidInvitation && error.reason.contains("sslverify"))
        let (lenient, _) = try await SimulatedWorld.enrolled(
            server: { $0.asksToVerifyTLS = false }, app: { $0.enrollsDespiteSSLVerifyOff = true })
        let (login, challenge) = try await lenient.opened()
        #expect(try await lenient.authenticator.resolve(challenge, with: .approve) == .delivered)
        #expect(try await lenient.status(login) == .approved)
    }

    @Test func `a code is good for as long as it says`() async throws {
        let world = try await SimulatedWorld(server: { $0.codeLifetime = 2 })
        let code = try await world.server.enrollmentURI(for: "ada")
        let offers = try world.authenticator.offers(for: .scanned(text: code))
        world.clock.advance(by: .seconds(121))
        let error = try await refused {
            _ = try await world.authenticator.enroll(try #require(offers.first))
        }
        #expect(error.code == .invitationSpent)
        #expect(await world.count(.enroll) == 0)
    }

    @Test func `a code that wants the unlocked app asks the user before a yes`() async throws {
        let (world, _) = try await SimulatedWorld.enrolled(server: { $0.appUnlock = "biometric" })
        let (login, challenge) = try await world.opened()
        #expect(try await world.authenticator.resolve(challenge, with: .approve) == .delivered)
        #expect(await world.verifier.requests.count == 1)
        #expect(try await world.status(login) == .approved)
    }

    @Test func `an enrollment whose request was lost is sent once more`() async throws {
        let world = try await SimulatedWorld()
        await world.faults.next(.dropBefore)
        try await world.enroll()
        let (login, challenge) = try await world.opened()
        #expect(try await world.authenticator.resolve(challenge, with: .approve) == .delivered)
        #expect(try await world.status(login) == .approved)
    }

    @Test func `an enrollment whose reply was lost needs a new code`() async throws {
        let world = try await SimulatedWorld()
        await world.faults.next(.dropAfter)
        let error = try await refused { try await world.enroll(serial: "T1") }
        #expect(error.code == .invitationSpent && error.reason.contains("ask for a new code"))
        #expect(try await world.authenticator.enrollments().isEmpty)
        try await world.enroll(serial: "T1")
        let (login, challenge) = try await world.opened()
        #expect(try await world.authenticator.resolve(challenge, with: .approve) == .delivered)
        #expect(try await world.status(login) == .approved)
    }

    @Test func `a locked token and a spent code are refused`() async throws {
        let world = try await SimulatedWorld()
        let code = try await world.server.enrollmentURI(for: "ada", serial: "T1")
        await world.server.setLocked(true, token: "T1")
        #expect(try await refused { _ = try await world.enroll(code) }.code == .invalidInvitation)
        await world.server.removeToken("T1")
        let spent = try await world.server.enrollmentURI(for: "ada", serial: "T2")
        await world.server.removeToken("T2")
        #expect(try await refused { _ = try await world.enroll(spent) }.code == .invitationSpent)
        #expect(try await world.authenticator.enrollments().isEmpty)
    }

    // MARK: Rollover

    @Test
    func `after another code of the token old pushes are nobody's, and new ones are answered`()
        async throws
    {
        let (world, id) = try await SimulatedWorld.enrolled()
        let serial = try #require(await world.server.tokens(of: "ada").first?.serial)
        let before = try await world.start()
        let old = await world.server.takePushes()
        let again = try await world.enroll(serial: serial)
        #expect(again.id == id)
        #expect(try await world.authenticator.enrollments().map(\.id) == [id])
        for push in old {
            let error = try await refused {
                _ = try await world.authenticator.receive(push.message())
            }
            #expect(error.code == .untrusted)
        }
        // What waited is listed again, signed by the new key.
        let found = try #require(try await world.authenticator.pending(for: id).first?.challenge)
        let challenge = try await world.authenticator.challenge(found)
        #expect(try await world.authenticator.resolve(challenge, with: .approve) == .delivered)
        #expect(try await world.status(before) == .approved)
        let (login, next) = try await world.opened()
        #expect(try await world.authenticator.resolve(next, with: .approve) == .delivered)
        #expect(try await world.status(login) == .approved)
    }

    @Test func `until the server takes the other code the old keys answer`() async throws {
        let (world, _) = try await SimulatedWorld.enrolled()
        let serial = try #require(await world.server.tokens(of: "ada").first?.serial)
        await world.server.setLocked(true, token: serial)
        _ = try await refused { try await world.enroll(serial: serial) }
        let (login, challenge) = try await world.opened()
        #expect(try await world.authenticator.resolve(challenge, with: .approve) == .delivered)
        #expect(try await world.status(login) == .approved)
    }

    // MARK: Two servers

    @Test
    func `two servers with one serial are two enrollments, and the key says whose push it is`()
        async throws
    {
        let world = try await SimulatedWorld()
        let first = try await world.enroll(serial: "T1")
        let second = try await world.enroll(serial: "T1", at: world.other)
        #expect(first.id != second.id)
        for (server, id) in [(world.server, first.id), (world.other, second.id)] {
            let login = try await world.start(at: server)
            let reception = try #require(try await world.receive(from: server).first?.challenge)
            #expect(reception.enrollment == id)
            let challenge = try await world.authenticator.challenge(reception)
            #expect(
                try await world.authenticator.resolve(challenge, with: .approve) == .delivered)
            #expect(try await server.status(of: login.id) == .approved)
        }
    }

    // MARK: Device token

    @Test func `a device token is told, changed and taken away`() async throws {
        let (world, id) = try await SimulatedWorld.enrolled()
        _ = try await world.authenticator.deviceTokenChanged(.fcm("dA2:APA91b_z-Q"))
        #expect(await world.server.tokens(of: "ada").first?.deviceToken == .fcm("dA2:APA91b_z-Q"))
        _ = try await world.authenticator.deviceTokenRemoved(of: .fcm)
        #expect(await world.server.tokens(of: "ada").map(\.deviceToken) == [nil])
        // Logins are found without one.
        let login = try await world.start()
        let found = try #require(try await world.authenticator.pending(for: id).first?.challenge)
        let challenge = try await world.authenticator.challenge(found)
        #expect(try await world.authenticator.resolve(challenge, with: .approve) == .delivered)
        #expect(try await world.status(login) == .approved)
    }

    @Test(arguments: [FaultPlan.Fault.dropBefore, .dropAfter])
    func `a device token whose request or reply was lost is told in the end`(
        fault: FaultPlan.Fault
    ) async throws {
        let (world, _) = try await SimulatedWorld.enrolled()
        await world.faults.next(fault)
        _ = try await world.authenticator.deviceTokenChanged(.fcm("new"))
        _ = try await world.authenticator.deviceTokenChanged(.fcm("new"))
        #expect(await world.server.tokens(of: "ada").first?.deviceToken == .fcm("new"))
    }

    @Test func `Apple's tokens are told by an app whose server has a gateway for them`()
        async throws
    {
        let world = try await SimulatedWorld(
            server: { $0.gateway = .http }, app: { $0.usesAPNsTokens = true })
        let apns = DeviceToken.apns(hex: String(repeating: "0A", count: 32), isSandbox: false)
        _ = try await world.authenticator.deviceTokenRemoved(of: .fcm)
        _ = try await world.authenticator.deviceTokenChanged(apns)
        try await world.enroll()
        let (login, challenge) = try await world.opened()
        #expect(try await world.authenticator.resolve(challenge, with: .approve) == .delivered)
        #expect(try await world.status(login) == .approved)
    }
}
