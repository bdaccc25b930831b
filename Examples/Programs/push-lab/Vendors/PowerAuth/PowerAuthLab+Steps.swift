import Foundation
import LocalServer
import PushCore
import PushPowerAuth
import PushPowerAuthSimulator
import PushTesting

extension PowerAuthLab {
    /// The latest activation of the user.
    func activation() async throws -> PowerAuthSimulator.ActivationRecord {
        guard let record = await phone.simulator.activations(of: "jane").last else {
            throw PushError(.notFound, "There is no activation.")
        }
        return record
    }

    func enroll(_ invitation: Invitation) async -> Result<Enrollment, PushError> {
        await Result { () async throws(PushError) in
            try await phone.authenticator.enroll(invitation) { _ in true }
        }
    }

    func activate() async throws -> String {
        let enrollment = try await enroll(phone.simulator.invitation(for: "jane")).get()
        let record = try await activation()
        let isSame = enrollment.state == .pending(.comparison(code: record.fingerprint ?? ""))
        try await phone.simulator.commit(record.id)
        let state = try await phone.authenticator.refresh(enrollment.id).state
        // The device token goes to the vendor once there is an active enrollment.
        try await phone.authenticator.resume()
        return "\(isSame ? "same fingerprint on both sides" : "\(enrollment.state)"); "
            + (state == .active ? "active after commit" : "\(state)")
    }

    /// Takes the pushes that are on their way, and opens the one challenge they lead to.
    func receiveChallenge() async throws -> Challenge {
        try await phone.receiveChallenge()
    }

    func pay() async throws -> String {
        let operation = try await phone.simulator.createOperation(for: "jane", .payment)
        let pushes = await phone.simulator.takePushes()
        let text = pushes.map { String(decoding: $0.payload, as: UTF8.self) }.joined()
        var receptions: [Reception] = []
        for push in pushes {
            receptions += try await phone.authenticator.receive(push.message())
        }
        guard let id = receptions.compactMap(\.challenge).first else { return "not found" }
        let challenge = try await phone.authenticator.challenge(id)
        let amount = challenge.fields.first { $0.label == "Amount" }
        let isHidden = !text.contains("238400856")
        let said = try await phone.answer(challenge, .approve, SimulatedLogin(id: operation.id))
        return "\(amount.map { "\($0.label) \($0.value)" } ?? "no amount"), "
            + "\(isHidden ? "nothing" : "something") of it in the push; \(said)"
    }

    /// Ends a login on the server while it waits here, and says how its challenge ended.
    func end(_ end: (String) async throws -> Void) async throws -> String {
        let login = try await phone.simulator.startLogin(of: "jane", asking: .confirm)
        let challenge = try await receiveChallenge()
        try await end(login.id)
        _ = try await phone.receive()
        guard
            case .over(let withdrawal)? = try await phone.authenticator.record(of: challenge.id)?
                .state
        else { return "asked; still open" }
        return "asked; then \(withdrawal.reason.rawValue)"
    }

    /// Ends an operation while nobody hears of it: the list, which lacks it, is enough.
    func missFromList() async throws -> String {
        let login = try await phone.simulator.startLogin(of: "jane", asking: .confirm)
        let challenge = try await receiveChallenge()
        try await phone.simulator.cancelOperation(login.id)
        guard await !phone.simulator.takePushes().isEmpty else { return "no push to lose" }
        let before = try await phone.authenticator.record(of: challenge.id)
        let found = try await phone.authenticator.pending().found
            .filter { $0.challenge == challenge.id }.compactMap(\.end)
        let open = try await phone.authenticator.records().count { $0.state == .open }
        return "\(before?.state == .open ? "open" : "not open"); pending(): "
            + "\(found.map(\.rawValue).joined(separator: ", ")); "
            + "\(open == 0 ? "none" : "\(open)") open"
    }

    func readInbox() async throws -> String {
        _ = await phone.simulator.createMessage(
            for: "jane", subject: "Your statement", summary: "It is here.", body: "Balance: 12.50")
        let receptions = try await phone.receive()
        guard case .inbox(let enrollment, let listed)? = receptions.first?.kind else {
            return "not announced"
        }
        let provider = PowerAuth(
            configuration: try Self.configuration(application, at: await phone.simulator.origin),
            in: phone.device.environment)
        let inbox = try PowerAuthManager(
            phone.authenticator, provider: provider, enrollment: enrollment
        ).inbox
        let before = try await inbox.message(listed.id)
        try await inbox.markRead(listed.id)
        let after = try await inbox.message(listed.id)
        return "announced, \(before.read ? "read" : "unread"); \(after.read ? "read" : "unread")"
    }

    func offlineCode() async throws -> PowerAuthSimulator.OfflineCode {
        let request = PowerAuthSimulator.OfflineRequest(
            operation: "5ff1b1ed-a3cc-45a3-8ab0-ed60950312b6", title: "Payment",
            message: "Please confirm this payment", data: "A1*A100CZK*ICZ2730300000001165254011")
        return try await phone.simulator.createOfflineCode(request, for: activation().id)
    }

    /// Scans and approves while the server is away.
    func approveOffline() async throws -> String {
        let code = try await offlineCode()
        await phone.host.stop()
        let outcome: Outcome?
        do {
            outcome = try await scan(code.text)
            try await phone.host.restart()
        } catch {
            try await phone.host.restart()
            throw error
        }
        guard case .code(let digits, _) = outcome else { return "no code: \(outcome?.words ?? "")" }
        let verdict = try await phone.simulator.verifyOfflineSignature(digits, of: code.id)
        return verdict == .accepted(.possessionKnowledge)
            ? "verified; the code is right" : "verified; the code is wrong"
    }

    private func scan(_ text: String) async throws -> Outcome? {
        let receptions = try await phone.authenticator.receive(
            PushMessage(text: text, by: .scanned))
        guard let id = receptions.first?.challenge else { return nil }
        let challenge = try await phone.authenticator.challenge(id)
        return try await phone.authenticator.resolve(challenge, with: .approve)
    }

    func guess() async throws -> String {
        let login = try await phone.simulator.startLogin(of: "jane", asking: .confirm)
        let challenge = try await receiveChallenge()
        await user.type("0000")
        var words: [String] = []
        for _ in 0..<5 {
            words.append(try await phone.authenticator.resolve(challenge, with: .approve).words)
        }
        await user.type(FingerUser.right)
        let retries = words.count { $0 == "may retry" }
        let id = challenge.id.enrollment
        let blocked = try await phone.authenticator.refresh(id).state
        try await phone.simulator.unblock(activation().id)
        _ = try await phone.receive()
        let state = try await phone.authenticator.enrollment(id)?.state
        _ = login
        let word = if case .blocked = blocked { "blocked" } else { "\(blocked)" }
        let next = try await phone.answer("jane", .confirm) { _, _ in .approve }
        return "may retry ×\(retries), \(words.last ?? ""), \(word); "
            + "\(state == .active ? "told and active" : "\(state, default: "none")"); \(next)"
    }

    /// Kills a process with the SDK (SIGKILL) once its counter is on disk, and before its request
    /// leaves; then answers in this process.
    func crash() async throws -> String {
        let login = try await phone.simulator.startLogin(of: "jane", asking: .confirm)
        let challenge = try await receiveChallenge()
        let device = try Peer(
            Peer.program,
            [
                "counter-device", "--directory", phone.directory.path, "--authority",
                phone.authority, "--server", await phone.simulator.origin, "--application",
                application,
            ],
            errorFile: phone.directory.appendingPathComponent("counter.errors"),
            temporary: phone.directory)
        var answered = true
        do {
            try await device.call(
                "approve",
                [
                    "activation": .string(challenge.id.enrollment.name),
                    "operation": .string(challenge.id.name),
                ])
        } catch Peer.Failure.ended {
            answered = false
        }
        await device.kill()
        let waiting = try await phone.status(of: login) == "still waiting"
        // What a process was sending is left to it for a while, unless it comes back by its name.
        let restarted = try phone.device.authenticator(as: CounterDeviceCommand.instance)
        let found = try await restarted.resume()[challenge.id]
        let again = try await restarted.challenge(challenge.id)
        let said = try await restarted.resolve(again, with: .approve).words
        let status = try await phone.status(of: login)
        return "\(answered ? "not killed" : "killed"), \(waiting ? "nothing sent" : "sent"); "
            + "\(found?.words ?? "nothing to resume"); \(said), \(status)"
    }
}
