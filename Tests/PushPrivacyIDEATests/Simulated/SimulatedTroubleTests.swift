import HTTPTypes
import PushCore
import PushPrivacyIDEASimulator
import PushTesting
import Testing

@testable import PushPrivacyIDEA

/// Lost replies, wrong clocks, forbidden polls, gateways: between the app and a server that checks all.
@Suite struct SimulatedTroubleTests {
    typealias Generation = SimulatedHarness.Generation

    @Test(arguments: Generation.allCases)
    func `an answer that never arrived goes out again`(generation: Generation) async throws {
        let (harness, _) = try await SimulatedHarness.enrolled(generation)
        let (login, challenge) = try await harness.opened()
        await harness.faults.next(.dropBefore)
        _ = try await harness.authenticator.resolve(challenge, with: .approve)
        #expect(try await harness.status(login) == .waiting)
        #expect(try await harness.authenticator.resume()[challenge.id] == .delivered)
        #expect(try await harness.status(login) == .approved)
    }

    @Test(arguments: Generation.allCases, [Resolution.approve, .deny(.unexpected)])
    func `an answer whose reply was lost never counts as another`(
        generation: Generation, resolution: Resolution
    ) async throws {
        let (harness, _) = try await SimulatedHarness.enrolled(generation)
        let (login, challenge) = try await harness.opened()
        await harness.faults.next(.dropAfter)
        _ = try await harness.authenticator.resolve(challenge, with: resolution)
        let outcome = try #require(try await harness.twiceResumed(challenge.id))
        if generation == .v39, resolution != .approve {
            // It forgets a no, so it still lists the challenge and takes the same bytes.
            #expect(outcome == .delivered)
        } else {
            #expect(outcome == .ended)
            #expect(await harness.count(.answer) == 1)
            #expect(
                try await harness.status(login) == (resolution == .approve ? .approved : .denied))
        }
    }

    @Test(arguments: [429, 500, 503])
    func `an outage leaves the decision, which is sent again`(status: Int) async throws {
        let (harness, _) = try await SimulatedHarness.enrolled()
        let (login, challenge) = try await harness.opened()
        await harness.server.force(status: status)
        _ = try? await harness.authenticator.resolve(challenge, with: .approve)
        let record = try await harness.authenticator.record(of: challenge.id)
        #expect(record?.state == .decided(.approve))
        #expect(try await harness.authenticator.resume()[challenge.id] == .delivered)
        #expect(try await harness.status(login) == .approved)
    }

    @Test(arguments: [200, 404, 502])
    func `a gateway's page is no word of the server`(status: Int) async throws {
        let (harness, id) = try await SimulatedHarness.enrolled()
        let (login, challenge) = try await harness.opened()
        await harness.server.forcePage(status: status)
        _ = try? await harness.authenticator.resolve(challenge, with: .approve)
        let record = try await harness.authenticator.record(of: challenge.id)
        #expect(record?.state == .decided(.approve))
        #expect(try await harness.authenticator.enrollment(id)?.state == .active)
        #expect(try await harness.authenticator.resume()[challenge.id] == .delivered)
        #expect(try await harness.status(login) == .approved)
    }

    // MARK: Time

    @Test(arguments: [-3600, 90, 86_400])
    func `a device whose clock is off signs by the server's`(offset: Int) async throws {
        let (harness, id) = try await SimulatedHarness.enrolled(
            server: { $0.clockOffset = .seconds(offset) })
        let login = try await harness.start()
        _ = await harness.server.takePushes()
        let found = try #require(try await harness.authenticator.pending(for: id).first?.challenge)
        #expect(await harness.server.exchanges.allSatisfy { $0.status == 200 })
        let challenge = try await harness.authenticator.challenge(found)
        #expect(try await harness.authenticator.resolve(challenge, with: .approve) == .delivered)
        #expect(try await harness.status(login) == .approved)
        _ = try await harness.authenticator.deviceTokenChanged(.fcm("another"))
        #expect(await harness.server.tokens(of: "ada").first?.deviceToken == .fcm("another"))
    }

    @Test(arguments: [false, true])
    func `a server whose clock was put right is asked again once`(hidesErrors: Bool) async throws {
        let (harness, id) = try await SimulatedHarness.enrolled(
            server: { $0.hidesErrors = hidesErrors })
        await harness.server.configure { $0.clockOffset = .seconds(120) }
        #expect(try await harness.authenticator.pending(for: id).isEmpty)
        #expect(await harness.server.exchanges.map(\.status).suffix(2) == [400, 200])
        #expect(try await harness.authenticator.pending(for: id).isEmpty)
        #expect(await harness.count(.poll) == 3)
    }

    // MARK: PushConfiguration

    @Test(arguments: Generation.allCases)
    func `where nobody may poll, pushes are answered`(generation: Generation) async throws {
        let (harness, id) = try await SimulatedHarness.enrolled(
            generation, server: { $0.polling = .deny })
        let error = try await refusal { _ = try await harness.authenticator.pending(for: id) }
        #expect(error.code == .listRefused)
        let (login, challenge) = try await harness.opened()
        #expect(try await harness.authenticator.resolve(challenge, with: .approve) == .delivered)
        #expect(try await harness.status(login) == .approved)
    }

    @Test func `a token that was deleted must be enrolled again`() async throws {
        let (harness, id) = try await SimulatedHarness.enrolled()
        let (_, challenge) = try await harness.opened()
        let serial = try #require(await harness.server.tokens(of: "ada").first?.serial)
        await harness.server.removeToken(serial)
        // A poll proves nothing: a missing policy looks the same.
        _ = try await refusal { _ = try await harness.authenticator.pending(for: id) }
        #expect(try await harness.authenticator.enrollment(id)?.state == .active)
        let outcome = try await harness.authenticator.resolve(challenge, with: .approve)
        #expect(outcome == .notTaken(.init(.stateChanged, mayRetry: false, status: 404)))
        #expect(try await harness.authenticator.enrollment(id)?.state == .needsReenrollment)
    }

    @Test func `before 3.14 the push's text stays where the list has another one`() async throws {
        let (harness, id) = try await SimulatedHarness.enrolled(.v313)
        let login = try await harness.start()
        let reception = try #require(
            try await harness.receive(from: harness.server).first?.challenge)
        let found = try await harness.authenticator.pending(for: id).compactMap(\.challenge)
        #expect(found == [reception])
        let challenge = try await harness.authenticator.challenge(reception)
        #expect(
            challenge.details(as: PrivacyIDEAChallenge.self)?.question
                == "Log in as ada from 203.0.113.7?")
        #expect(try await harness.authenticator.resolve(challenge, with: .approve) == .delivered)
        #expect(try await harness.status(login) == .approved)
    }

    @Test func `a server that moved is answered where it went`() async throws {
        let (harness, _) = try await SimulatedHarness.enrolled(
            app: {
                $0.movedOrigins = ["https://pi.example.com": ["https://pi2.example.com"]]
            })
        await harness.server.configure { $0.challengeURL = "https://pi2.example.com/ttype/push" }
        let (login, challenge) = try await harness.opened()
        #expect(try await harness.authenticator.resolve(challenge, with: .approve) == .delivered)
        #expect(await harness.transport.exchanges.last?.request.authority == "pi2.example.com")
        #expect(try await harness.status(login) == .approved)
    }

    @Test func `a later process answers what an earlier one received`() async throws {
        let (harness, _) = try await SimulatedHarness.enrolled()
        let login = try await harness.start(.number)
        _ = try await harness.receive(from: harness.server)
        let later = try SimulatedHarness(sharing: harness)
        let record = try #require(try await later.authenticator.records().first)
        let challenge = try await later.authenticator.challenge(record.id)
        let shown = try #require(login.shown)
        #expect(
            try await later.authenticator.resolve(challenge, with: .choose(shown)) == .delivered)
        #expect(try await harness.status(login) == .approved)
    }
}
