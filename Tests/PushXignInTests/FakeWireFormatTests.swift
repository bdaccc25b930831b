import Foundation
import HTTPTypes
import PushCore
import PushTesting
import PushXignIn
import Testing

// snippet: push
/// Pushes in clear: `{"fake": "<process>"}` asks for a sign-in within two minutes.
struct FakeWireFormat {
    func candidate(in message: PushMessage) -> XignInCandidate? {
        message["fake"]?.string.map { process in
            XignInCandidate(process) { process, access in
                let id = Challenge.ID(process, of: access.enrollment(at: "fake"))
                let end = access.environment.clock.now.addingTimeInterval(120)
                return XignInMessage(
                    Notice(id: id, expiry: end, proof: .signature), type: .authentication,
                    minimumAPI: "1.0.0")
            }
        }
    }
}
// end snippet

// snippet: manager
/// A manager that takes whatever it is sent.
extension FakeWireFormat: XignInWireFormat {
    func invitation(in text: Secret, allowsPlainHTTP: Bool) -> XignInInvitation? {
        XignInInvitation(idmIdentifier: "fake", host: "manager.example")
    }

    func record(for personalization: XignInPersonalization, using access: XignInAccess) -> Secret {
        Secret([])
    }

    func activate(_ account: Account, using access: XignInAccess) -> XignInReply<XignInActivation> {
        .success(XignInActivation(account: "alice", record: Secret([])))
    }

    func setDeviceToken(
        _ deviceToken: DeviceToken?, of account: Account, using access: XignInAccess
    ) -> XignInReply<Bool> { .success(deviceToken != nil) }

    func endActivation(_ account: Account, using access: XignInAccess) -> XignInReply<Bool> {
        .success(true)
    }

    func discard(_ record: Secret, using access: XignInAccess) {}

    func initialization(
        for announcement: Announcement, of account: Account, using access: XignInAccess
    ) -> XignInReply<AuthenticationInitializationData> {
        .success(
            AuthenticationInitializationData(
                of: announcement.notice.id, expiresAt: announcement.notice.expiry ?? .distantFuture,
                service: ServiceInformation(id: "shop", name: "Shop"),
                organization: OrganizationInformation(), context: Secret([])))
    }

    func start(
        _ data: AuthenticationInitializationData, of account: Account, using access: XignInAccess
    ) -> XignInReply<AuthenticateRequest> {
        var request = AuthenticateRequest(
            of: Challenge.ID(data.processId, of: account.id), expiresAt: data.expiresAt,
            service: data.serviceInformation, organization: data.organizationInformation,
            context: data.context)
        request.roles = [.init(id: "user", name: "User", requestedAuthenticators: [[.device]])]
        request.availableAuthenticators = [.device]
        return .success(request)
    }

    func answer(
        _ decision: XignInDecision, to announcement: Announcement, of account: Account,
        using access: XignInAccess
    ) -> XignInAnswer { XignInAnswer(whole: Secret([1]), kept: Secret([1])) }

    func send(
        _ answer: Secret, to announcement: Announcement, of account: Account,
        using access: XignInAccess
    ) -> XignInReply<XignInVerdict> { .success(.taken) }
}
// end snippet

/// The fake that the documentation shows carries a process from the activation to the verdict.
@Suite struct FakeWireFormatTests {
    private let transport = SimulatedTransport { _, _ in
        Issue.record("A fake sends nothing.")
        return (.init(status: .internalServerError), Data())
    }

    private func authenticator() async throws -> PushAuthenticator {
        // snippet: registry
        let environment = PushEnvironment(
            transport: transport, store: InMemoryStore(), verifier: ScriptedVerifier.willing(),
            clock: ManualClock(Date(timeIntervalSince1970: 1_767_225_600)),
            device: Device(name: "Phone"))
        let provider = XignIn(configuration: .init(wireFormat: FakeWireFormat()), in: environment)
        let authenticator = PushAuthenticator(try PluginRegistry([provider]), in: environment)
        // end snippet
        let offers = try authenticator.offers(for: .scanned(text: "any text"))
        _ = try await authenticator.enroll(try #require(offers.first))
        return authenticator
    }

    @Test func `an approval is delivered through the fake, and a rejection is`() async throws {
        let authenticator = try await authenticator()
        #expect(try await authenticator.enrollments().map(\.account) == ["alice"])
        for (process, resolution) in [("1", Resolution.approve), ("2", .deny(.unexpected))] {
            let receptions = try await authenticator.receive(PushMessage(fcm: ["fake": process]))
            let id = try #require(receptions.first?.challenge)
            let challenge = try await authenticator.challenge(id)
            #expect(challenge.fields.map(\.value) == ["Shop", "User"])
            let outcome = try await authenticator.resolve(challenge, with: resolution)
            #expect(outcome == .delivered)
        }
    }

    @Test func `a push of another sender is nobody's to the fake`() async throws {
        let authenticator = try await authenticator()
        #expect(try await authenticator.receive(PushMessage(fcm: ["other": "1"])).isEmpty)
    }

    @Test func `the fake ends its activation and takes a token`() async throws {
        let authenticator = try await authenticator()
        let id = try #require(try await authenticator.enrollments().first?.id)
        #expect(try await authenticator.deviceTokenChanged(.fcm("token")).isEmpty)
        try await authenticator.remove(id, from: .everywhere)
        #expect(try await authenticator.enrollments().isEmpty)
    }
}
