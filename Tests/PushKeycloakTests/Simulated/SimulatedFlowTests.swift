import PushCore
import PushKeycloakSimulator
import PushTesting
import Testing

@testable import PushKeycloak

/// From the code to the login page, at a realm that checks all that the extension checks.
@Suite struct SimulatedFlowTests {
    typealias Algorithm = KeycloakSimulator.Algorithm

    /// For all tests: an RSA pair takes long.
    private static let rsa = (try? KeycloakSimulator.RealmKey(.rs256)).map { [$0] } ?? []

    @Test(arguments: [Algorithm.rs256, .es256, .es384, .es512])
    func `a realm of any algorithm enrolls by token and reference, asks and is answered`(
        algorithm: Algorithm
    ) async throws {
        for isReference in [false, true] {
            let (harness, _) = try await SimulatedHarness.enrolled(
                keys: algorithm == .rs256 ? Self.rsa : []
            ) { configuration in
                configuration.algorithm = algorithm
                configuration.usesRequestURI = isReference
            }
            let device = try #require(await harness.server.devices(of: "ada").first)
            #expect(device.type == "ios" && device.deviceToken == Sample.token)
            for resolution in [Resolution.approve, .deny(.unexpected)] {
                let (login, challenge) = try await harness.opened()
                #expect(challenge.origin.application == "Test App")
                #expect(
                    try await harness.authenticator.resolve(challenge, with: resolution)
                        == .delivered)
                #expect(
                    try await harness.status(login) == (resolution.isDenial ? .denied : .approved))
            }
        }
    }

    @Test func `the number of the page is taken, and after another one only a no`() async throws {
        let (harness, _) = try await SimulatedHarness.enrolled { $0.numberCheck = .match }
        for isRight in [true, false] {
            let (login, challenge) = try await harness.opened(.number)
            let shown = try #require(login.shown)
            guard case .choose(let numbers) = challenge.prompt else {
                Issue.record("It asks for \(challenge.prompt).")
                return
            }
            let number = try #require(numbers.first { ($0 == shown) == isRight })
            _ = try await harness.authenticator.resolve(challenge, with: .choose(number))
            #expect(try await harness.status(login) == (isRight ? .approved : .waiting))
            guard !isRight else { continue }
            _ = try await refusal {
                try await harness.authenticator.resolve(challenge, with: .choose(shown))
            }
            _ = try await harness.authenticator.resolve(challenge, with: .deny(.unexpected))
            #expect(try await harness.status(login) == .denied)
        }
    }

    @Test(arguments: [KeycloakSimulator.NumberCheck.pin(length: 1), .pin(length: 12)])
    func `a PIN of the page is taken, after a wrong one as well`(
        check: KeycloakSimulator.NumberCheck
    ) async throws {
        let (harness, _) = try await SimulatedHarness.enrolled { $0.numberCheck = check }
        let (login, challenge) = try await harness.opened(.number)
        let shown = try #require(login.shown)
        let wrong = Resolution.enter(shown.dropLast() + (shown.hasSuffix("0") ? "1" : "0"))
        guard
            case .notTaken(let refusal) = try await harness.authenticator.resolve(
                challenge, with: wrong)
        else {
            Issue.record("A wrong PIN was taken.")
            return
        }
        #expect(refusal.reason == .wrongChoice && refusal.mayRetry)
        #expect(try await harness.status(login) == .waiting)
        #expect(
            try await harness.authenticator.resolve(challenge, with: .enter(shown)) == .delivered)
        #expect(try await harness.status(login) == .approved)
    }

    @Test func `a same-device link leads to the challenge, its answer is the user's to give`()
        async throws
    {
        let (harness, _) = try await SimulatedHarness.enrolled { $0.linkHasAnswer = true }
        let login = try await harness.start(.number)
        _ = await harness.server.takePushes()
        let link = PushMessage(
            text: try await harness.server.sameDeviceLink(of: login.id), by: .link)
        let id = try #require(try await harness.authenticator.receive(link).first?.challenge)
        let challenge = try await harness.authenticator.challenge(id)
        let answer = try #require(login.shown)
        #expect(try await harness.status(login) == .waiting)
        #expect(
            try await harness.authenticator.resolve(challenge, with: .choose(answer)) == .delivered)
        #expect(try await harness.status(login) == .approved)
    }

    @Test func `two requests for one code: the second one is spent`() async throws {
        let harness = try await SimulatedHarness()
        let code = try await harness.code()
        try await harness.enroll(code)
        #expect(try await refusal { try await harness.enroll(code) }.code == .invitationSpent)
        #expect(try await harness.authenticator.enrollments().count == 1)
    }

    @Test func `a code that is too old enrolls nobody`() async throws {
        let harness = try await SimulatedHarness()
        let code = try await harness.code()
        harness.clock.advance(by: .seconds(241))
        #expect(try await refusal { try await harness.enroll(code) }.code == .invitationSpent)
    }

    // MARK: Upkeep

    @Test func `a rotated key answers, and the old one's record is gone`() async throws {
        let (harness, id) = try await SimulatedHarness.enrolled()
        let before = try #require(await harness.server.devices(of: "ada").first).thumbprint
        for fault in [FaultPlan.Fault.dropBefore, .dropAfter] {
            await harness.faults.next(fault) { ScriptedServer.Kind($0) == .rotate }
            _ = try? await rotate(harness, id)
            let (login, challenge) = try await harness.opened()
            #expect(
                try await harness.authenticator.resolve(challenge, with: .approve) == .delivered)
            #expect(try await harness.status(login) == .approved)
        }
        try await rotate(harness, id)
        let after = try #require(await harness.server.devices(of: "ada").first).thumbprint
        #expect(after != before)
        let later = try SimulatedHarness(sharing: harness)
        let login = try await later.start()
        let found = try #require(try await later.receive(from: later.server).first?.challenge)
        _ = try await later.authenticator.deny(found)
        #expect(try await later.status(login) == .denied)
    }

    private func rotate(_ harness: SimulatedHarness, _ id: Enrollment.ID) async throws {
        try await harness.authenticator.turn(of: id) { (account: Account) async throws(PushError) in
            try await harness.provider.rotateKey(of: account)
        }
    }

    @Test func `a new device token is where the next push goes`() async throws {
        let (harness, _) = try await SimulatedHarness.enrolled()
        try await harness.authenticator.deviceTokenChanged(.fcm("fcm-token-2"))
        _ = try await harness.start()
        #expect(await harness.server.takePushes().map(\.deviceToken) == [.fcm("fcm-token-2")])
    }

    @Test func `a locked user can't log in until an administrator unlocks the account`()
        async throws
    {
        let (harness, id) = try await SimulatedHarness.enrolled()
        let (_, challenge) = try await harness.opened()
        try await harness.authenticator.turn(of: id) { (account: Account) async throws(PushError) in
            try await harness.provider.lockOut(account)
        }
        #expect(await harness.server.isLockedOut("ada"))
        guard case .blocked? = try await harness.authenticator.enrollment(id)?.state else {
            Issue.record("It isn't blocked.")
            return
        }
        // What was pushed just now isn't closed yet.
        harness.clock.advance(by: .seconds(31))
        _ = try await harness.authenticator.pending(for: id)
        guard case .over? = try await harness.state(of: challenge.id) else {
            Issue.record("It is open still.")
            return
        }
        _ = try await refusal { try await harness.start() }
        await harness.server.unlock("ada")
        let (login, next) = try await harness.opened()
        #expect(try await harness.authenticator.enrollment(id)?.state == .active)
        #expect(try await harness.authenticator.resolve(next, with: .approve) == .delivered)
        #expect(try await harness.status(login) == .approved)
    }

    @Test func `a device that the user has removed must enroll again`() async throws {
        let (harness, id) = try await SimulatedHarness.enrolled()
        let (_, challenge) = try await harness.opened()
        await harness.server.removeDevice(id.name)
        let outcome = try await harness.authenticator.resolve(challenge, with: .approve)
        #expect(outcome == .notTaken(.init(.stateChanged, mayRetry: false)))
        let error = try await refusal { try await harness.authenticator.refresh(id) }
        #expect(error.code == .unknownEnrollment)
        #expect(try await harness.authenticator.enrollment(id)?.state == .needsReenrollment)
        let again = try await harness.enroll(harness.code())
        #expect(again.state == .active && again.id != id)
    }

    @Test func `revoked access tokens are replaced without a word`() async throws {
        let (harness, _) = try await SimulatedHarness.enrolled()
        let (login, challenge) = try await harness.opened()
        await harness.server.revokeAccessTokens()
        #expect(try await harness.authenticator.resolve(challenge, with: .approve) == .delivered)
        #expect(try await harness.status(login) == .approved)
    }

    // MARK: Trouble

    @Test(arguments: [true, false])
    func `a lost reply to an answer ends as what the realm can say of it`(
        isTaken: Bool
    ) async throws {
        let (harness, _) = try await SimulatedHarness.enrolled()
        let (login, challenge) = try await harness.opened()
        await harness.faults.next(isTaken ? .dropAfter : .dropBefore) {
            ScriptedServer.Kind($0) == .answer
        }
        _ = try await harness.authenticator.resolve(challenge, with: .approve)
        let outcome = try await harness.authenticator.resume()[challenge.id]
        #expect(outcome == (isTaken ? .ended : .delivered))
        #expect(try await harness.status(login) == .approved)
    }

    @Test(arguments: [40.0, -60, 3600])
    func `a device whose clock is wrong enrolls and answers by the realm's`(
        offset: Double
    ) async throws {
        let (harness, _) = try await SimulatedHarness.enrolled { configuration in
            configuration.sendsDate = true
            configuration.clockOffset = .seconds(offset)
        }
        let (login, challenge) = try await harness.opened()
        #expect(try await harness.authenticator.resolve(challenge, with: .approve) == .delivered)
        #expect(try await harness.status(login) == .approved)
    }

    @Test func `a realm that rotates its keys is followed, and its old ones verify nothing`()
        async throws
    {
        let (harness, _) = try await SimulatedHarness.enrolled()
        _ = try await harness.opened()
        _ = try await harness.start()
        let old = try #require(await harness.server.takePushes().first).message()
        try await harness.server.rotateRealmKey(keepingOld: false)
        harness.clock.advance(by: .seconds(3601))
        let login = try await harness.start()
        let found = try #require(try await harness.receive(from: harness.server).first?.challenge)
        _ = try await harness.authenticator.deny(found)
        #expect(try await harness.status(login) == .denied)
        let error = try await refusal { try await harness.authenticator.receive(old) }
        #expect(error.code == .untrusted)
    }
}
