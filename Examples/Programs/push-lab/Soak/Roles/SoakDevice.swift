import Foundation
import PushCore
import PushPlatform

/// The SDK as an app would run it, in a process of its own. All it remembers is in the store.
struct SoakDevice: Sendable {
    private let authenticator: PushAuthenticator
    private let user = SoakUser()

    /// - Parameters:
    ///   - directory: Where the store is.
    ///   - instance: What it is called among the processes that share the store.
    ///   - authority: The certificate of who vouches for the server, as a PEM file.
    /// - Throws: What opening the store throws.
    init(in directory: URL, as instance: String, trusting authority: String) async throws {
        let environment = PushEnvironment(
            transport: SystemTransport(.init(certificateAuthorities: .file(authority))),
            store: try await SoakStore(in: directory).open(),
            verifier: user, device: Device(name: "push-lab"))
        var configuration = PushConfiguration()
        configuration.instance = instance
        // Far longer than an exchange takes here, and short enough to wait for.
        configuration.lease = .seconds(2)
        configuration.backoff = Backoff(base: .milliseconds(50), cap: .seconds(1), tries: 100)
        authenticator = PushAuthenticator(
            try SoakVendor.registry(in: environment), in: environment, configuration: configuration)
    }

    func answer(_ call: String, _ arguments: JSON) async throws -> JSON {
        switch call {
        case "token": try await changeToken(arguments)
        case "enroll": try await enroll(arguments)
        case "receive": try await receive(arguments)
        case "answer": try await decide(arguments)
        case "resume": try await resume()
        case "remove": try await remove(arguments)
        default: throw PushError(.unsupported, "There is no call \(call).")
        }
    }

    private func changeToken(_ arguments: JSON) async throws -> JSON {
        let text = try arguments.text("token")
        let isForFirebase = arguments["service"]?.string == "fcm"
        try await authenticator.deviceTokenChanged(
            isForFirebase ? .fcm(text) : .apns(hex: text, isSandbox: false))
        return [:]
    }

    private func enroll(_ arguments: JSON) async throws -> JSON {
        let invitation = Invitation.scanned(text: try arguments.text("code"))
        let enrollment = try await authenticator.enroll(invitation) { _ in true }
        return [
            "mechanism": .string(enrollment.id.name), "active": .bool(enrollment.state == .active),
        ]
    }

    private func receive(_ arguments: JSON) async throws -> JSON {
        let push = try PushMessage(json: try arguments.text("payload"))
        guard let reception = try await authenticator.receive(push).first,
            let id = reception.challenge
        else { throw PushError(.malformed, "The push came to nothing.") }
        let isOpen = if case .notice = reception.kind { true } else { false }
        return [
            "mechanism": .string(id.enrollment.name), "challenge": .string(id.name),
            "open": .bool(isOpen), "new": .bool(reception.isNew),
        ]
    }

    private func decide(_ arguments: JSON) async throws -> JSON {
        let id = Challenge.ID(
            try arguments.text("challenge"), of: try Self.enrollment(in: arguments))
        let choice = Choice(try arguments.text("choice"))
        await user.mistype(arguments["mistype"]?.bool == true, at: id)
        // Opened before the start, so that what races is the decision.
        let challenge = choice == .deny ? nil : try await authenticator.challenge(id)
        if let start = arguments["at"]?.double { Self.wait(until: start) }
        let outcome =
            if let challenge {
                try await authenticator.resolve(challenge, with: choice.resolution)
            } else {
                try await authenticator.deny(id)
            }
        return ["outcome": .string(outcome.words)]
    }

    private func resume() async throws -> JSON {
        let outcomes = try await authenticator.resume()
        return .object(JSON.Object(outcomes.map { ($0.key.name, .string($0.value.words)) }))
    }

    private func remove(_ arguments: JSON) async throws -> JSON {
        try await authenticator.remove(Self.enrollment(in: arguments))
        return [:]
    }

    private static func enrollment(in arguments: JSON) throws(PushError) -> Enrollment.ID {
        Enrollment.ID(
            try arguments.text("mechanism"),
            of: ProviderID(rawValue: try arguments.text("vendor")))
    }

    /// Waits for a moment that two processes share, as both count from the machine's start. It is
    /// awaited without sleeping, which would be late by more than what two decisions differ by.
    private static func wait(until uptime: Double) {
        while ProcessInfo.processInfo.systemUptime < uptime {}
    }
}

extension JSON {
    /// A member that must be a text.
    func text(_ name: String) throws(PushError) -> String {
        guard let text = self[name]?.string else {
            throw PushError(.malformed, "\(name) is missing.")
        }
        return text
    }
}
