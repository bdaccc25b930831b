import PushAcme
import PushAcmeSimulator
import PushCore
import PushTesting

/// A device that is enrolled at Acme, and what can happen to it.
struct Flows {
    /// One thing that happens, and what must come of it.
    struct Flow: Sendable {
        let name: String
        let expected: String
        let run: @Sendable (Flows) async throws(PushError) -> String
    }

    static let all = [
        Flow(name: "enroll by code", expected: "active") { flows in "\(flows.enrollment.state)" },
        Flow(name: "push, approved", expected: "delivered, approved") {
            flows async throws(PushError) in try await flows.answer(.approve)
        },
        Flow(name: "push, denied", expected: "delivered, denied") {
            flows async throws(PushError) in try await flows.answer(.deny(.unexpected))
        },
        Flow(name: "reply lost, sent again", expected: "unknown, then delivered, approved") {
            flows async throws(PushError) in try await flows.answerWithoutReply()
        },
        Flow(name: "answered on another device", expected: "over, approved") {
            flows async throws(PushError) in try await flows.answerElsewhere()
        },
        Flow(name: "forged push", expected: "untrusted, nothing kept") {
            flows async throws(PushError) in try await flows.receiveForgery()
        },
    ]

    private let simulator = AcmeSimulator()
    private let faults = FaultPlan()
    private let authenticator: PushAuthenticator
    private let enrollment: Enrollment

    init() async throws(PushError) {
        authenticator = try Self.device(at: simulator, faults)
        enrollment = try await Self.enroll(authenticator, at: simulator, "phone")
    }

    // snippet: device
    private static func device(
        at simulator: AcmeSimulator, _ faults: FaultPlan = FaultPlan()
    ) throws(PushError) -> PushAuthenticator {
        let environment = PushEnvironment(
            transport: SimulatedTransport(to: simulator, faults: faults), store: InMemoryStore(),
            verifier: ScriptedVerifier.willing(), device: Device(name: "Your own"))
        return try PushAuthenticator(in: environment) { [Acme(in: $0)] }
    }
    // end snippet

    private static func enroll(
        _ authenticator: PushAuthenticator, at simulator: AcmeSimulator, _ token: String
    ) async throws(PushError) -> Enrollment {
        try await authenticator.deviceTokenChanged(.fcm(token))
        return try await authenticator.enroll(simulator.invitation(for: "jane")) { _ in true }
    }

    private func answer(_ resolution: Resolution) async throws(PushError) -> String {
        let login = try await simulator.startLogin(of: "jane", asking: .confirm)
        let challenge = try await openNext(on: authenticator)
        let outcome = try await authenticator.resolve(challenge, with: resolution)
        return "\(outcome), \(try await simulator.status(of: login.id))"
    }

    private func answerWithoutReply() async throws(PushError) -> String {
        let login = try await simulator.startLogin(of: "jane", asking: .confirm)
        let challenge = try await openNext(on: authenticator)
        await faults.next(.dropAfter)
        guard case .unknown = try await authenticator.resolve(challenge, with: .approve) else {
            return "known without a reply"
        }
        // It may have been sent again in the background before.
        try await authenticator.resume()
        guard
            case .answered(_, let outcome)? = try await authenticator.record(of: challenge.id)?
                .state
        else { return "unknown, then forgotten" }
        return "unknown, then \(outcome), \(try await simulator.status(of: login.id))"
    }

    private func answerElsewhere() async throws(PushError) -> String {
        let other = try Self.device(at: simulator)
        let enrollment = try await Self.enroll(other, at: simulator, "tablet")
        let login = try await simulator.startLogin(of: "jane", asking: .confirm)
        let pushes = await simulator.takePushes()
        for push in pushes where push.deviceToken == .fcm("phone") {
            _ = try await authenticator.receive(push.message())
        }
        for push in pushes where push.deviceToken == .fcm("tablet") {
            _ = try await other.receive(push.message())
        }
        let challenge = try await other.challenge(Challenge.ID(login.id, of: enrollment.id))
        _ = try await other.resolve(challenge, with: .approve)
        for push in await simulator.takePushes() {
            _ = try await authenticator.receive(push.message())
        }
        let record = try await authenticator.record(
            of: Challenge.ID(login.id, of: self.enrollment.id))
        guard case .over? = record?.state else { return "still open" }
        return "over, \(try await simulator.status(of: login.id))"
    }

    private func receiveForgery() async throws(PushError) -> String {
        let login = try await simulator.startLogin(of: "jane", asking: .confirm)
        let claims = try await simulator.claims(of: login.id, kind: "login")
        let forged = try await simulator.sign(
            claims, for: enrollment.id.name, with: SystemRandom().bytes(32))
        let before = try await authenticator.records().count
        let received = await Result { () async throws(PushError) in
            try await authenticator.receive(forged.message())
        }
        guard case .failure(let error) = received else { return "taken" }
        let isSame = try await authenticator.records().count == before
        return "\(error.code), \(isSame ? "nothing" : "something") kept"
    }

    private func openNext(on device: PushAuthenticator) async throws(PushError) -> Challenge {
        for push in await simulator.takePushes() {
            for challenge in try await device.challenges(in: push.message()) { return challenge }
        }
        throw PushError(.notFound, "No push announced a login.")
    }
}
