import PushCore
import PushOneSpanSimulator
import PushTesting
import Testing

/// Two devices of one user, and the four reasons for which a session is outdated.
@Suite(.timeLimit(.minutes(10))) struct OutdatedTests {
    /// How a session ends without this device.
    enum End: CaseIterable, Sendable { case accepted, refused, expired, failed }

    /// Two devices of one user; only the second one's identifier is registered in the end.
    struct Pair {
        let site: Site
        let one, two: OneSpanHarness

        init() async throws {
            site = Site()
            one = try await OneSpanHarness.joined(site, token: "token-a")
            two = try await OneSpanHarness.joined(site, token: "token-b")
        }
    }

    /// Hands each device its own push of a login that asks for the PIN.
    private func deliver(_ pair: Pair) async throws -> String {
        let request = try await pair.site.pinLogin()
        let found = try await OneSpanHarness.pushes(at: pair.site)
        for handset in [pair.one, pair.two] {
            for message in found[handset.token] ?? [] {
                _ = try await handset.authenticator.receive(message)
            }
        }
        return request
    }

    private func finish(_ end: End, _ request: String, _ pair: Pair) async throws {
        switch end {
        case .accepted:
            let challenge = try await pair.one.authenticator.challenge(pair.one.id(request))
            _ = try await pair.one.authenticator.resolve(challenge, with: .approve)
        case .refused:
            let challenge = try await pair.one.authenticator.challenge(pair.one.id(request))
            _ = try await pair.one.authenticator.resolve(challenge, with: .deny(.unexpected))
        case .expired: pair.site.time.advance(by: .seconds(61))
        case .failed:
            await pair.one.user.type(Sample.wrongPIN)
            let challenge = try await pair.one.authenticator.challenge(pair.one.id(request))
            for _ in 0..<3 {
                _ = try? await pair.one.authenticator.resolve(challenge, with: .approve)
            }
            #expect(await pair.site.status(request) == .failed)
        }
    }

    @Test func `two devices are two enrollments, and both are pushed to`() async throws {
        let pair = try await Pair()
        let devices = await pair.site.tenant.devices(of: Sample.user)
        #expect(devices.map(\.isActivated) == [true, true])
        _ = try await pair.site.login()
        #expect(Set(try await OneSpanHarness.pushes(at: pair.site).keys) == ["token-a", "token-b"])
    }

    @Test(arguments: End.allCases)
    func `a request that is over when it is fetched is over, not an error`(
        end: End
    ) async throws {
        let pair = try await Pair()
        let request = try await deliver(pair)
        try await finish(end, request, pair)
        await pair.site.server.forget()
        let error = try await refusal {
            _ = try await pair.two.authenticator.challenge(pair.two.id(request))
        }
        #expect(error.code == .over)
        #expect(await pair.site.server.types == [0x21])
        #expect(await pair.two.user.answerRequests.isEmpty)
        guard case .over(let withdrawal) = try await pair.two.record(request) else {
            Issue.record(
                "The ledger says \(String(describing: try await pair.two.record(request)))")
            return
        }
        switch end {
        case .accepted, .refused: #expect(withdrawal.reason == .elsewhere)
        case .expired: #expect(withdrawal.reason == .expired)
        case .failed: #expect(withdrawal.reason != .cancelled)
        }
    }

    @Test(arguments: End.allCases, [Resolution.approve, .deny(.unexpected)])
    func `a request that is over when it is answered counts for the first decision`(
        end: End, resolution: Resolution
    ) async throws {
        let pair = try await Pair()
        let request = try await deliver(pair)
        let challenge = try await pair.two.authenticator.challenge(pair.two.id(request))
        try await finish(end, request, pair)
        let before = await pair.site.tenant.session(request)
        let outcome = try await pair.two.authenticator.resolve(challenge, with: resolution)
        switch end {
        case .accepted, .refused: #expect(outcome == .answeredElsewhere)
        case .expired: #expect(outcome == .expired)
        case .failed: #expect(outcome != .delivered && outcome != .answeredElsewhere)
        }
        #expect(await pair.site.tenant.session(request) == before)
    }

    @Test func `a device answers although another has tried in vain`() async throws {
        let pair = try await Pair()
        let request = try await deliver(pair)
        await pair.one.user.type(Sample.wrongPIN)
        let first = try await pair.one.authenticator.challenge(pair.one.id(request))
        _ = try? await pair.one.authenticator.resolve(first, with: .approve)
        let second = try await pair.two.authenticator.challenge(pair.two.id(request))
        #expect(
            try await pair.two.authenticator.resolve(second, with: .approve) == .delivered)
        await pair.one.user.type(Sample.pin)
        #expect(
            try await pair.one.authenticator.resolve(first, with: .approve)
                == .answeredElsewhere)
        #expect(
            await pair.site.decision(request)?.device
                == (try await pair.two.enrollment().id.name))
    }

    @Test func `a device that died with a request open holds nobody up`() async throws {
        let pair = try await Pair()
        let request = try await deliver(pair)
        _ = try await pair.one.authenticator.challenge(pair.one.id(request))
        let challenge = try await pair.two.authenticator.challenge(pair.two.id(request))
        #expect(
            try await pair.two.authenticator.resolve(challenge, with: .approve) == .delivered)
    }

    @Test func `two devices that decide at once make one decision`() async throws {
        let pair = try await Pair()
        let request = try await deliver(pair)
        let one = try await pair.one.authenticator.challenge(pair.one.id(request))
        let two = try await pair.two.authenticator.challenge(pair.two.id(request))
        async let yes = pair.one.authenticator.resolve(one, with: .approve)
        async let no = pair.two.authenticator.resolve(two, with: .deny(.fraud))
        let outcomes = try await [yes, no]
        #expect(outcomes.filter { $0 == .delivered }.count == 1)
        #expect(outcomes.filter { $0 == .answeredElsewhere }.count == 1)
        let status = await pair.site.status(request)
        #expect(status == (outcomes[0] == .delivered ? .accepted : .refused))
    }

    @Test func `a push of another device of the user is refused`() async throws {
        let pair = try await Pair()
        _ = try await pair.site.login()
        let found = try await OneSpanHarness.pushes(at: pair.site)
        let message = try #require(found["token-b"]?.first)
        await #expect(throws: PushError.self) {
            _ = try await pair.one.authenticator.receive(message)
        }
        #expect(try await pair.one.authenticator.records().isEmpty)
    }
}
