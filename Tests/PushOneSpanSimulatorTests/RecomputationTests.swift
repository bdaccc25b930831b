import Crypto
import ExternalTool
import Foundation
import IndependentEncodings
import PushCore
import PushOneSpanSimulator
import PushTesting
import Testing

/// A device written in another language, from the format alone, gets through to the simulator.
struct RecomputationTests {
    /// What Python makes of a state: the next command or the fields of a reply.
    private func python(_ input: JSON) throws -> JSON {
        let output = try #require(
            ExternalTool.python.run(["-c", Self.script], input: input.data),
            "Python refused its input")
        return try JSON(parsing: output)
    }

    @Test(.enabled(if: ExternalTool.hasCryptography))
    func `Python activates a device, fetches a transaction and signs it`() async throws {
        let bench = Bench()
        let password = try await bench.password(for: "alice")
        var state: JSON.Object = [
            "S": .string(hex(bench.server.serverKey)), "domain": "example-domain",
            "user": "alice", "password": .string(password),
            "eD": .string(hex(P256.KeyAgreement.PrivateKey().rawRepresentation)),
            "sign": .string(hex(P256.Signing.PrivateKey().rawRepresentation)),
            "identifier": .string(identifier(apns: "aabb")),
        ]
        var replies: [JSON] = []
        for step in ["hello", "proof", "confirm", "finalize", "register"] {
            state["step"] = .string(step)
            state["replies"] = .array(replies)
            let command = bytes(hex: try #require(python(.object(state))["command"]?.string))
            let answered = await bench.send(command)
            #expect(answered.status == 200, "\(step)")
            replies.append(.string(hex(command)))
            replies.append(.string(hex(answered.command)))
        }
        #expect(await bench.server.devices(of: "alice").map(\.isActivated) == [true])

        let request = try await bench.transaction()
        let push = try #require(await bench.server.takePushes().first)
        let trigger = try JSON(parsing: push.payload)["oos"]?["content"]
        replies.append(try #require(trigger))
        for step in ["fetch", "answer", "result"] {
            state["step"] = .string(step)
            state["replies"] = .array(replies)
            let output = try python(.object(state))
            guard step != "result" else {
                #expect(output["state"] == 2)
                #expect(output["decidedHere"] == 1)
                #expect(output["request"]?.string == request)
                break
            }
            let command = bytes(hex: try #require(output["command"]?.string))
            replies.append(.string(hex(command)))
            replies.append(.string(hex(await bench.send(command).command)))
        }
        let session = try #require(await bench.server.session(request))
        #expect(session.status == .accepted)
        #expect(session.decision?.method == .password)
    }
}
