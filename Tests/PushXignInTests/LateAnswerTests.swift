import Foundation
import HTTPTypes
import PushCore
import PushTesting
import PushXignIn
import PushXignInSimulator
import Testing

/// An answer with a mistyped PIN that reaches the manager late: once the user has opened the process
/// again, and before the next answer does.
@Suite struct LateAnswerTests {
    private let simulator: XignInSimulator
    private let keypad = Keypad()
    private let network: SlowNetwork
    private let authenticator: PushAuthenticator
    private let login: SimulatedLogin.ID
    private let id: Challenge.ID

    init() async throws {
        let clock = ManualClock(Date(WorkedExample.now))
        simulator = XignInSimulator(.init(clock: clock, random: SeededRandom(seed: 1)))
        network = SlowNetwork(SimulatedTransport(to: simulator))
        let app = try App(over: network, user: keypad, clock: clock)
        authenticator = app.authenticator
        try await authenticator.deviceTokenChanged(.fcm(WorkedExample.token))
        try await app.enroll(await simulator.invitation(for: "alice"))
        login = try await simulator.startLogin(of: "alice", asking: .confirm).id
        let push = try #require(await simulator.takePushes().first)
        let receptions = try await authenticator.receive(push.message())
        id = try #require(receptions.first?.challenge)
    }

    @Test func `an answer to a challenge that a late answer replaced is made again`() async throws {
        try await answerTheChallengeOfBefore()
        #expect(try await authenticator.resume()[id] == .verifyAgain)
        #expect(try await approve() == .delivered)
        #expect(try await simulator.status(of: login) == .approved)
        let words = try await words()
        #expect(
            words == [
                "factors_missing", "factors_missing", "lockout", "malformed_request",
                "malformed_request", "malformed_request", "user_login",
            ])
    }

    @Test(arguments: [XignInSimulator.BadAnswer.unsigned, .wrongKey, .request("req-other")])
    func `a refusal that isn't the manager's doesn't say that a challenge was replaced`(
        fault: XignInSimulator.BadAnswer
    ) async throws {
        try await answerTheChallengeOfBefore()
        await simulator.spoil(by: fault, at: .finish)
        let outcome = try? await authenticator.resume()[id]
        #expect(outcome != .verifyAgain)
        #expect(try await authenticator.record(of: id)?.state == .decided(.approve))
        // The manager's own is heard.
        #expect(try await authenticator.resume()[id] == .verifyAgain)
    }

    /// The first answer is held up, and overtakes the second one.
    private func answerTheChallengeOfBefore() async throws {
        await keypad.type(WorkedExample.wrongPIN)
        await network.holdAnswer()
        guard case .unknown = try await approve() else {
            Issue.record("A lost reply is no word.")
            return
        }
        #expect(try await authenticator.resume()[id] == .verifyAgain)
        await keypad.type(WorkedExample.pin)
        let error = try await refusal { _ = try await approve() }
        #expect(error.code == .server(status: 400))
        #expect(try await authenticator.record(of: id)?.state == .decided(.approve))
    }

    private func approve() async throws -> Outcome {
        let challenge = try await authenticator.challenge(id)
        return try await authenticator.resolve(challenge, with: .approve)
    }

    /// What the manager said of answers, oldest first.
    private func words() async throws -> [String?] {
        try await simulator.exchanges
            .filter { $0.request.path?.hasSuffix("/finish") == true }
            .map { exchange in
                let reply = Token.unverified(String(decoding: exchange.responseBody, as: UTF8.self))
                let data = try #require(reply?.claims["data"])
                return data["error"]?.string ?? data["result"]?["type"]?.string
            }
    }
}

/// A network that can hold an answer with a PIN's proof until just before the next one.
private actor SlowNetwork: Transport {
    private let network: SimulatedTransport
    private var holds = false
    private var held: (request: HTTPRequest, body: Data)?

    init(_ network: SimulatedTransport) { self.network = network }

    func holdAnswer() { holds = true }

    func send(
        _ request: HTTPRequest, body: Data
    ) async throws(PushError) -> (response: HTTPResponse, body: Data) {
        let text = String(decoding: body, as: UTF8.self)
        if request.path?.hasSuffix("/finish") == true, text.contains("proof") {
            if holds {
                holds = false
                held = (request, body)
                throw PushError(.interrupted, "The simulated connection broke.")
            }
            if let late = held {
                held = nil
                _ = try await network.send(late.request, body: late.body)
            }
        }
        return try await network.send(request, body: body)
    }
}
