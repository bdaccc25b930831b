import Foundation
import HTTPTypes
import PushCore
import PushForgeRockSimulator
import PushPlatform
import PushTesting

/// What the SDK promises if a process dies, a reply is lost, or somebody else stands in the middle.
extension ForgeRockLab {
    var promising: [DemoFlow] {
        [
            DemoFlow(
                "process killed before the reply, started again",
                expecting: "killed, decision on disk; taken after restart, logged in",
                run: crash),
            DemoFlow(
                "answer accepted, reply lost", expecting: "unknown; taken after resume, logged in",
                run: loseReply),
            DemoFlow(
                "server with another key than the pinned ones",
                expecting: "pin mismatch, nothing sent, still waiting",
                run: mismatch),
            DemoFlow(
                "denied as fraud, a gateway's 403, then approved",
                expecting:
                    "server(status: 403), still waiting; yes: another decision stands, login denied",
                run: meetGateway),
        ]
    }

    /// Kills a process with the SDK (SIGKILL) once the server has taken its answer, and starts
    /// another one over the same store.
    private func crash() async throws -> String {
        let login = try await am80.simulator.startLogin(of: "jane", asking: .confirm)
        guard let push = await am80.simulator.takePushes().first else { return "no push" }
        let payload = String(decoding: push.payload, as: UTF8.self)
        var facts = LoginFacts(id: login.id, user: "jane", payload: payload, shown: nil)
        facts = try await withDevice { [facts] device in
            var facts = facts
            try facts.note(
                delivery: await device.call("receive", ["payload": .string(payload)]))
            await am80.host.loseNextReply { await device.kill() }
            return try await KillWork.answer(facts, [.approve], on: device)
        }
        guard let name = facts.names?.challenge else { return "not received" }
        let killed = facts.acknowledged.isEmpty ? "killed" : "not killed"
        let row = try await SoakStore(in: am80.directory).snapshot().rows[name]
        let kept = row == .init(choice: .approve) ? "decision on disk" : "no open decision on disk"
        let outcomes = try await withDevice { try await $0.call("resume") }
        let word = outcomes[name]?.string ?? "nothing sent"
        let status = try await am80.status(of: login)
        return "\(killed), \(kept); \(word) after restart, \(status)"
    }

    private func loseReply() async throws -> String {
        let login = try await am80.simulator.startLogin(of: "jane", asking: .confirm)
        let challenge = try await am80.receiveChallenge()
        await am80.host.loseNextReply()
        let lost = try await am80.authenticator.resolve(challenge, with: .approve)
        let found = try await am80.authenticator.resume()[challenge.id]
        let status = try await am80.status(of: login)
        return "\(lost.words); \(found?.words ?? "nothing sent") after resume, \(status)"
    }

    private func mismatch() async throws -> String {
        let login = try await am80.simulator.startLogin(of: "jane", asking: .confirm)
        let challenge = try await am80.receiveChallenge()
        let pins = try [0xA1, 0xB2].map { try ServerPin(digest: Data(repeating: $0, count: 32)) }
        let device = try am80.device(with: ServerPins([.init(host: "127.0.0.1", pins: pins)]))
        let before = await am80.host.requestCount
        let answered = await Result { () async throws(PushError) in
            try await device.resolve(challenge, with: .approve)
        }
        let refusal =
            if case .failure(let error) = answered, error.code == .pinMismatch {
                "pin mismatch"
            } else {
                answered.refusal
            }
        let sent = await am80.host.requestCount == before ? "nothing sent" : "something sent"
        return try await "\(refusal), \(sent), \(am80.status(of: login))"
    }

    /// A stranger's word on the way decides nothing: the denial stays, and goes out before anything
    /// else is heard.
    private func meetGateway() async throws -> String {
        let login = try await am80.simulator.startLogin(of: "jane", asking: .confirm)
        let challenge = try await am80.receiveChallenge()
        await am80.host.answerAsGateway(.forbidden)
        let denied = await Result { () async throws(PushError) in
            try await am80.authenticator.resolve(challenge, with: .deny(.fraud))
        }.refusal
        let status = try await am80.status(of: login)
        guard await am80.host.gatewayCount == 0 else { return "the gateway wasn't asked" }
        // The user again, or whoever has the phone now.
        let approved = await Result { () async throws(PushError) in
            try await am80.authenticator.resolve(challenge, with: .approve)
        }
        let refusal =
            if case .failure(let error) = approved,
                error.code == .decidedOtherwise(.deny(.fraud))
            {
                "another decision stands"
            } else {
                approved.refusal
            }
        return try await "\(denied), \(status); yes: \(refusal), \(am80.status(of: login))"
    }

    /// Runs a device over the station's store in a process of its own, until the work is done.
    private func withDevice<Value: Sendable>(
        _ work: (Peer) async throws -> Value
    ) async throws -> Value {
        let device = try Peer.device(
            in: am80.directory, as: "phone", trusting: am80.authority)
        do {
            let value = try await work(device)
            await device.finish()
            return value
        } catch {
            await device.kill()
            throw error
        }
    }
}
