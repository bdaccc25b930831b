import Crypto
import ExternalTool
import Foundation
import PushCore
import PushTesting
import Testing

@testable import PushOneSpan
@testable import PushOneSpanReference

/// The engine, given the vectors' random bytes and replies, says byte for byte what they say.
struct OOCVectorExchangeTests {
    @Test func `an activation has the bytes of the vectors`() async throws {
        let harness = try VectorEngine()
        let flow = try await harness.start()
        #expect(try await harness.hello(flow).hex == harness.vectors.text("C1"))
        #expect(try await harness.consume("S1").sent.hex == harness.vectors.text("C2"))
        #expect(try await harness.consume("S2").sent.hex == harness.vectors.text("05"))
        harness.random.add(OOC.scalar("ephemeral 07"))
        let finalize = try await harness.consume("06").sent
        try expectSigned(
            finalize, like: "07", harness.vectors,
            signed: Array("OOC1 activate".utf8) + [0] + OOC.deviceID + harness.vectors("TH4"))
        #expect(
            try await harness.accounts.existing(harness.enrollment).enrollment.state
                == .pending(.unconfirmed))
        guard
            case .finished(.activated(OOC.deviceName, OOC.user, OOC.domain), flow) =
                try await harness.consume("08")
        else {
            Issue.record("08 doesn't end the activation."); return
        }
        let enrollment = try await harness.accounts.existing(harness.enrollment).enrollment
        #expect(enrollment.state == .pending(.deviceToken))
        #expect(enrollment.account == OOC.user && enrollment.host == "tid")
    }

    /// Compares all but a signature, which is made at random, and verifies that.
    private func expectSigned(
        _ command: OrchestrationCommand, like name: String, _ vectors: Vectors, signed: [UInt8]
    ) throws {
        let server = try OOCServer(vectors)
        let mine = try server.open(command)
        let theirs = try server.open(try OrchestrationCommand(vectors.text(name)))
        #expect(OOC.bytes(command.hex).prefix(117) == OOC.bytes(try vectors.text(name)).prefix(117))
        #expect(mine.body.dropLast(64) == theirs.body.dropLast(64))
        let key = try P256.Signing.PublicKey(x963Representation: vectors("sign.pub"))
        for body in [mine.body, theirs.body] {
            let signature = try P256.Signing.ECDSASignature(rawRepresentation: body.suffix(64))
            #expect(key.isValidSignature(signature, for: signed))
        }
    }

    @Test
    func
        `a registration, a transaction and a change of the password have the bytes of the vectors`()
        async throws
    {
        let harness = try VectorEngine()
        try await harness.finalize()
        _ = try await harness.consume("08")
        #expect(try await harness.register().hex == harness.vectors.text("10"))
        guard
            case .finished(.registered(OOC.deviceName, OOC.identifier), _) =
                try await harness.consume("11")
        else {
            Issue.record("11 doesn't end the registration."); return
        }
        let summary = try #require(await harness.engine.inspect(harness.command("30")))
        #expect(
            summary
                == CommandSummary(
                    deviceID: OOC.deviceName, requestID: OOC.requestID, kind: .transaction,
                    issuedAt: OOC.issued, notAfter: OOC.issued + 60))
        harness.random.add(OOC.run(0x50))
        #expect(try await harness.consume("30").sent.hex == harness.vectors.text("31"))
        guard case .display(let display, let flow) = try await harness.consume("32") else {
            Issue.record("32 isn't displayed."); return
        }
        #expect(
            display.content
                == .fields([.init("Amount", "100.00 EUR"), .init("To", "DE89370400440532013000")]))
        #expect(display.method == .password && display.sessionID == "session-0001")
        #expect(display.validity == OOC.issued..<OOC.issued + 60)
        harness.random.add(OOC.scalar("ephemeral 33"))
        try expectSigned(
            try await harness.approve(flow), like: "33", harness.vectors,
            signed: harness.vectors("TBS"))
        #expect(try await harness.consume("34").accepted == true)

        harness.random.add(
            OOC.run(0x60), OOC.sha("instance 1 new"), OOC.run(0), OOC.sha("change nonce"),
            OOC.scalar("ephemeral 40"))
        #expect(try await harness.change().command.hex == harness.vectors.text("40"))
        guard case .finished(.passwordChanged(OOC.deviceName), _) = try await harness.consume("41")
        else {
            Issue.record("41 doesn't end the change."); return
        }
        let key = try await (try harness.record()).mask.key(password: OOC.secret("246802"))
        #expect(key.plain == OOC.sha("instance 1 new"))
    }

    @Test func `the errors of the vectors are opened, and a clear one isn't trusted`() async throws
    {
        let harness = try VectorEngine()
        let first = try await harness.start()
        _ = try await harness.hello(first)
        #expect(
            try await harness.consume("clear").serverError
                == ServerError(
                    -1300, "unknown device", errorType: "GENERIC", isAuthenticated: false))
        #expect(
            try await harness.consume("E1").serverError
                == ServerError(
                    -1200, "unknown registration", errorType: "GENERIC", isAuthenticated: true))
        #expect(await OOC.problem { _ = try await harness.consume("S1") } == .unexpectedCommand)
        _ = try await harness.hello(try await harness.start())
        _ = try await harness.consume("S1")
        #expect(
            try await harness.consume("E2").serverError
                == ServerError(
                    -1201, "password proof failed", customPayload: "2", errorType: "GENERIC",
                    isAuthenticated: true))
        #expect(try await harness.accounts.enrollments().isEmpty)
    }

    @Test(.enabled(if: ExternalTool.hasCryptography, "needs python3 with cryptography"))
    func `another implementation computes the vectors, and verifies what the engine signed`()
        async throws
    {
        let harness = try VectorEngine()
        var values = harness.vectors.values
        values["engine 07"] = .string(try await harness.finalize().hex)
        _ = try await harness.consume("08")
        _ = try await harness.register()
        _ = try await harness.consume("11")
        harness.random.add(OOC.run(0x50))
        _ = try await harness.consume("30")
        let flow = try #require(try await harness.consume("32").flow)
        harness.random.add(OOC.scalar("ephemeral 33"))
        values["engine 33"] = .string(try await harness.approve(flow).hex)
        let script = String(decoding: try Vectors.file("ooc.py"), as: UTF8.self)
        let output = try #require(
            ExternalTool.python.run(["-c", script], input: JSON.object(values).data))
        let verdicts = try JSONDecoder().decode([String: Bool].self, from: output)
        #expect(verdicts.count == 52)
        #expect(verdicts.filter { !$0.value }.isEmpty)
    }
}
