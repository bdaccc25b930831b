import Foundation
import PushCore
import PushPowerAuth
import PushPowerAuthSimulator
import PushTesting

/// How a second phone gets activations by more than a code, or by none, and what the server tells of them.
struct PowerAuthJoining: Sendable {
    static let user = "petra"
    private static let login = ["user": "petra", "password": "Tr0ub4dor&3"]

    let host: Host
    let simulator: PowerAuthSimulator
    let provider: PowerAuth
    let authenticator: PushAuthenticator

    var activator: PowerAuthActivator {
        PowerAuthActivator(authenticator, provider: provider)
    }

    init(
        _ simulator: PowerAuthSimulator, at host: Host, on device: LabDevice,
        _ configuration: PowerAuthConfiguration
    ) async throws {
        self.host = host
        self.simulator = simulator
        provider = PowerAuth(configuration: configuration, in: device.environment)
        authenticator = PushAuthenticator(
            try PluginRegistry([provider]), in: device.environment)
        await simulator.configure {
            $0.directUsers = [.init(Self.user, method: "login", attributes: Self.login)]
            $0.identityProviders = [.init("bank")]
            $0.userInfo = [Self.user: ["sub": "petra", "name": "Petra Nová"]]
        }
    }

    // MARK: Rows

    var flows: [DemoFlow] { credentials + logins + knowing }

    private var credentials: [DemoFlow] {
        [
            DemoFlow(
                "activate by the bank's own credentials",
                expecting: "a wrong password: invalidInvitation; right: active after commit",
                run: activateDirectly),
            DemoFlow(
                "activate by code, with custom attributes",
                expecting: "the bank has branch 7, says welcome", run: activateWithAttributes),
            DemoFlow(
                "activation, its reply lost",
                expecting: "interrupted, nothing on record; again: pending", run: loseReply),
            DemoFlow(
                "recovery code scanned", expecting: "invalidInvitation, unsupported; nothing sent"
            ) {
                let before = await host.requestCount
                let said = refusal {
                    () throws(PushError) in
                    try authenticator.offers(for: .scanned(text: "R:W65WE-3T7VI-7FBS2-A4OYA"))
                }
                let isQuiet = await host.requestCount == before
                return "\(said); \(isQuiet ? "nothing sent" : "something sent")"
            },
        ]
    }

    private var logins: [DemoFlow] {
        [
            DemoFlow(
                "activate by a login at an identity provider (OIDC)",
                expecting: "active at once; taken, approved", run: activateByLogin),
            DemoFlow("OIDC: the callback of another login", expecting: "untrusted, nothing sent") {
                let (mine, theirs) = (
                    try await activator.startLogin(at: "bank"),
                    try await activator.startLogin(at: "bank")
                )
                let foreign = try await simulator.logIn(Self.user, at: theirs.url)
                let before = await host.requestCount
                let said = refusal { () throws(PushError) in try mine.activation(from: foreign) }
                let isQuiet = await host.requestCount == before
                return "\(said), \(isQuiet ? "nothing sent" : "something sent")"
            },
            DemoFlow(
                "OIDC: a code used twice",
                expecting: "active; then invalidInvitation, nothing more",
                run: redeemTwice),
        ]
    }

    private var knowing: [DemoFlow] {
        [
            DemoFlow(
                "activation renamed", expecting: "push-lab; Blue phone, the bank has it"
            ) {
                let id = try await latest()
                let manager = try PowerAuthManager(
                    authenticator, provider: provider, enrollment: id)
                let before = try await manager.detail().name
                let after = try await manager.rename(to: "Blue phone").name
                let known = await simulator.activations(of: Self.user).first { $0.id == id.name }
                return "\(before); \(after), "
                    + (known?.deviceName == after ? "the bank has it" : "the bank hasn't")
            },
            DemoFlow("user info", expecting: "petra, Petra Nová") {
                let manager = try PowerAuthManager(
                    authenticator, provider: provider, enrollment: try await latest())
                let info = try await manager.userInfo()
                return "\(info.subject ?? "nobody"), \(info.name ?? "no name")"
            },
        ]
    }
}

// MARK: Steps

extension PowerAuthJoining {
    private func activation(password: String? = nil) -> PowerAuthActivation {
        var attributes = Self.login
        if let password { attributes["password"] = password }
        return PowerAuthActivation(
            method: "login", attributes: attributes.mapValues { Secret(copying: $0) })
    }

    private func activateDirectly() async throws -> String {
        let wrong = await Result { () async throws(PushError) in
            try await activator.activate(activation(password: "tr0ub4dor&3"))
        }
        let enrollment = try await activator.activate(activation()).enrollment
        let isEarly = enrollment.state == .active
        try await simulator.commit(enrollment.id.name)
        let state = try await authenticator.refresh(enrollment.id).state
        return "a wrong password: \(wrong.refusal); right: "
            + (state == .active && !isEarly ? "active after commit" : "\(enrollment.state)")
    }

    private func activateWithAttributes() async throws -> String {
        await simulator.configure { $0.customAttributes = ["branch": 7, "word": "welcome"] }
        var activation = PowerAuthActivation(try await simulator.invitation(for: Self.user))
        activation.customAttributes = ["branch": 7]
        let said = try await activator.activate(activation).customAttributes
        await simulator.configure { $0.customAttributes = nil }
        return "the bank has branch \(said?["branch"]?.integer ?? 0), "
            + "says \(said?["word"]?.string ?? "nothing")"
    }

    private func loseReply() async throws -> String {
        let before = try await authenticator.enrollments().count
        // The key to seal for is there from the activation before: the next reply is the activation's.
        await host.loseNextReply()
        let lost = await Result { () async throws(PushError) in
            try await activator.activate(activation())
        }
        let kept = try await authenticator.enrollments().count - before
        let again = try await activator.activate(activation()).enrollment
        let state = if case .pending = again.state { "pending" } else { "\(again.state)" }
        return "\(lost.refusal), \(kept == 0 ? "nothing" : "\(kept)") on record; again: \(state)"
    }

    private func activateByLogin() async throws -> String {
        let login = try await activator.startLogin(at: "bank")
        let callback = try await simulator.logIn(Self.user, at: login.url)
        let enrollment = try await activator.activate(login.activation(from: callback)).enrollment
        let operation = try await simulator.createOperation(for: Self.user, .payment)
        let found = try await authenticator.pending().found.compactMap(\.challenge)
        guard let id = found.first(where: { $0.enrollment == enrollment.id }) else {
            return "\(enrollment.state); not found"
        }
        let outcome = try await authenticator.resolve(authenticator.challenge(id), with: .approve)
        let status = try await simulator.status(of: operation.id)
        return "\(enrollment.state == .active ? "active at once" : "\(enrollment.state)"); "
            + "\(outcome.words), \(status)"
    }

    private func redeemTwice() async throws -> String {
        let login = try await activator.startLogin(at: "bank")
        let callback = try await simulator.logIn(Self.user, at: login.url)
        let first = try await activator.activate(login.activation(from: callback)).enrollment
        let before = try await authenticator.enrollments().count
        let second = await Result { () async throws(PushError) in
            try await activator.activate(try login.activation(from: callback))
        }
        let more = try await authenticator.enrollments().count - before
        return "\(first.state); then \(second.refusal), \(more == 0 ? "nothing" : "\(more)") more"
    }

    /// The activation that came last, which is active.
    private func latest() async throws -> Enrollment.ID {
        let active = try await authenticator.enrollments().filter { $0.state == .active }
        guard let last = active.max(by: { $0.created < $1.created }) else {
            throw PushError(.notFound, "There is no activation.")
        }
        return last.id
    }

    /// What a text is refused with, and the plugin's own word for it.
    private func refusal<Value>(_ body: () throws(PushError) -> Value) -> String {
        do throws(PushError) {
            _ = try body()
            return "not refused"
        } catch {
            let own = (error.underlying as? PushError).map { ", \($0.code)" } ?? ""
            return "\(error.code)\(own)"
        }
    }
}
