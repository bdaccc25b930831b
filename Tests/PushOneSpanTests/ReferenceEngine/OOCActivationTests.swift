import Crypto
import Foundation
import PushCore
import PushTesting
import Testing

@testable import PushOneSpan
@testable import PushOneSpanReference

/// The activation, where it doesn't go as the vectors do.
struct OOCActivationTests {
    private func start(
        _ harness: VectorEngine, user: String = OOC.user, domain: String? = nil,
        password: String = OOC.password
    ) async throws -> OrchestrationStep {
        try await harness.engine.start(
            .activate(.init(user: user, domain: domain, password: OOC.secret(password))))
    }

    private func inputProblem(
        _ body: () async throws -> OrchestrationStep
    ) async -> ActivationInputProblem? {
        do { _ = try await body() } catch {
            if case .input(let problem) = (error as? OrchestrationError)?.oneSpan { return problem }
        }
        return nil
    }

    @Test func `inputs that can't be used start nothing`() async throws {
        let harness = try VectorEngine()
        #expect(await inputProblem { try await start(harness, user: "") } == .userIDNullOrEmpty)
        let long = String(repeating: "a", count: 256)
        for user in ["a\u{0}", long] {
            #expect(
                await inputProblem { try await start(harness, user: user) } == .userIDWrongFormat)
        }
        for domain in ["", "a\u{0}", long] {
            #expect(
                await inputProblem { try await start(harness, domain: domain) }
                    == .userIDWrongFormat)
        }
        #expect(
            await inputProblem { try await start(harness, password: "K7M2Q9XE") }
                == .activationPasswordWrongChecksum)
        #expect(await harness.engine.running.isEmpty)
    }

    @Test func `a domain is sent in lower case`() async throws {
        let harness = try VectorEngine()
        harness.random.add(OOC.run(0x10))
        let flow = try #require(try await start(harness, domain: "Example-DOMAIN").flow)
        #expect(try await harness.hello(flow).hex == harness.vectors.text("C1"))
    }

    @Test func `a user is activated once on a device`() async throws {
        let harness = try VectorEngine()
        let flow = try await harness.start()
        #expect(await OOC.problem { _ = try await start(harness) } == .workflowInProgress)
        _ = try await start(harness, user: "bob")
        #expect(await harness.engine.cancel(flow))
        try await harness.finalize()
        #expect(await OOC.problem { _ = try await start(harness) } == .workflowInProgress)
        _ = try await harness.consume("08")
        #expect(await OOC.problem { _ = try await start(harness) } == .alreadyActivated)
        try await harness.engine.forget(OOC.deviceName)
        _ = try await start(harness)
    }

    @Test(arguments: ["", "123", "äöü"])
    func `a short password is asked for again`(pin: String) async throws {
        let harness = try VectorEngine()
        let flow = try await harness.start()
        let step = try await harness.engine.provide(.secret(OOC.secret(pin)), to: flow)
        #expect(step.problem == .init(.weakPassword, mayRetry: true))
        #expect(try await harness.hello(flow).hex == harness.vectors.text("C1"))
    }

    @Test func `the user can give up until the last command, and nothing is left`() async throws {
        let harness = try VectorEngine()
        let flow = try await harness.start()
        #expect(await harness.engine.cancel(flow))
        let pin = WorkflowInput.secret(OOC.secret(OOC.pin))
        #expect(
            await OOC.problem { _ = try await harness.engine.provide(pin, to: flow) }
                == .invalidState
        )
        try await harness.finalize()
        #expect(try await harness.accounts.enrollments().count == 1)
        #expect(await harness.engine.cancel(FlowID(OOC.run(0x10).hexName)))
        #expect(try await harness.accounts.enrollments().isEmpty)
        #expect(await OOC.problem { _ = try await harness.consume("08") } == .unexpectedCommand)
    }

    @Test func `a reply is taken once`() async throws {
        let harness = try VectorEngine()
        _ = try await harness.hello(try await harness.start())
        for reply in ["S1", "S2", "06"] {
            _ = try await harness.consume(reply)
            #expect(
                await OOC.problem { _ = try await harness.consume(reply) } == .unexpectedCommand)
        }
        #expect(await OOC.problem { _ = try await harness.consume("11") } == .unexpectedCommand)
    }

    @Test func `the server's time counts from arrival, until the last command is made`()
        async throws
    {
        let harness = try VectorEngine()
        let flow = try await harness.start()
        #expect(await harness.engine.timeLeft(of: flow) == nil)
        _ = try await harness.hello(flow)
        #expect(await harness.engine.timeLeft(of: flow) == .seconds(120))
        harness.clock.set(Date(timeIntervalSince1970: 0))
        _ = try await harness.consume("S1")
        #expect(await harness.engine.timeLeft(of: flow) == .seconds(600))
        harness.clock.advance(by: .seconds(600))
        _ = try await harness.consume("S2")
        harness.clock.advance(by: .milliseconds(1))
        #expect(await harness.engine.timeLeft(of: flow) == .zero)
        #expect(await OOC.problem { _ = try await harness.consume("06") } == .activationExpired)
        #expect(await OOC.problem { _ = try await harness.consume("06") } == .unexpectedCommand)
    }

    @Test func `after the last command only the server's word counts`() async throws {
        let harness = try VectorEngine()
        try await harness.finalize()
        harness.clock.advance(by: .seconds(86_400))
        _ = try await harness.consume("08")
        let state = try await harness.accounts.existing(harness.enrollment).enrollment.state
        #expect(state == .pending(.deviceToken))
    }

    @Test func `a sealed refusal of the last command leaves nothing`() async throws {
        let harness = try VectorEngine()
        let command = try await harness.finalize()
        let refusal = try harness.server.refuse(command, -1202)
        #expect(try await harness.engine.consume(refusal).serverError?.returnCode == -1202)
        #expect(try await harness.accounts.enrollments().isEmpty)
    }

    @Test func `the last command outlives its process`() async throws {
        let harness = try VectorEngine()
        let command = try await harness.finalize()
        let later = try VectorEngine(sharing: harness)
        #expect(
            await OOC.problem {
                _ = try await later.engine.start(
                    .registerNotification(deviceID: OOC.deviceName, identifier: "01"))
            } == .notActivated)
        for _ in 0..<2 {
            #expect(try await later.engine.resume(OOC.deviceName)?.sent == command)
        }
        guard case .finished(.activated, _) = try await later.consume("08") else {
            Issue.record("08 doesn't end the activation."); return
        }
        #expect(try await later.engine.resume(OOC.deviceName) == nil)
    }

    @Test func `a store that can't be written sends nothing`() async throws {
        let harness = try VectorEngine()
        _ = try await harness.hello(try await harness.start())
        for reply in ["S1", "S2"] { _ = try await harness.consume(reply) }
        await harness.store.refuseWrites { _ in PushError(.storage, "Locked.") }
        await #expect(throws: OrchestrationError.self) { _ = try await harness.consume("06") }
        await harness.store.refuseWrites(nil)
        _ = try await harness.consume("06").sent
        guard case .finished(.activated, _) = try await harness.consume("08") else {
            Issue.record("08 doesn't end the activation."); return
        }
    }

    @Test func `a device stays with the server key that it was activated with, while it is pinned`()
        async throws
    {
        let harness = try await VectorEngine.activated()
        let other = P256.KeyAgreement.PrivateKey().publicKey.x963Representation
        let known = Data(try harness.vectors("S.pub"))
        for (keys, opens) in [([other, known], true), ([other], false)] {
            let engine = OpenReferenceEngine(
                try .init(domain: OOC.domain, serverKeys: keys), in: harness.environment)
            let flow = try await engine.start(.changePassword(deviceID: OOC.deviceName))
                .authentication(.password)
            _ = try await engine.provide(.secret(OOC.secret(OOC.pin)), to: flow)
            let command = try await engine.provide(.secret(OOC.secret("246802")), to: flow).sent
            #expect(((try? harness.server.open(command)) != nil) == opens)
            if opens {
                _ = try await engine.consume(harness.server.acknowledge(command, attempts: 3))
            }
        }
    }

    @Test func `a configuration that can't work is refused`() throws {
        let key = Data(try Vectors()("S.pub"))
        typealias Configuration = OpenReferenceEngine.Configuration
        #expect(throws: PushError.self) { try Configuration(domain: "", serverKeys: [key]) }
        #expect(throws: PushError.self) { try Configuration(domain: "a", serverKeys: []) }
        #expect(throws: PushError.self) {
            try Configuration(domain: "a", serverKeys: [key, key.dropLast()])
        }
        #expect(throws: PushError.self) {
            try Configuration(domain: "a", serverKeys: [key], pbkdf2Iterations: 0)
        }
    }
}
