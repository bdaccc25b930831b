import Crypto
import Foundation
import PushCore
import PushTesting
import PushXignIn
import Testing

/// A phone and its manager, personalized as the worked example is.
struct XignInHarness {
    let phone: Phone
    let manager: Manager

    init(
        vectors: Bool = false, keypad: Keypad = Keypad(),
        configuration: XignIn.Configuration = Phone.quick, keyGuard: ScriptedGuard? = nil,
        plan: @Sendable (inout Manager.Plan) -> Void = { _ in }
    ) async throws {
        let time = ManualClock(Date(WorkedExample.personalized))
        let key = vectors ? try Vectors().privateKey("manager") : SigningKey()
        manager = Manager(key: key, time: time)
        await manager.plan(plan)
        await manager.lay("the-secret", WorkedExample.activation)
        var kind = Phone.Kind()
        kind.keyGuard = keyGuard
        phone = try Phone(
            [manager], keypad: keypad, configuration: configuration, kind: kind)
        try await phone.enroll(await manager.link())
        phone.pass(WorkedExample.now - WorkedExample.personalized)
    }

    /// A harness in which a process was announced; its identifier.
    func begin() async throws -> String {
        let pid = await manager.begin()
        try await phone.deliver()
        return pid
    }

    /// Approves a process and says what came of it.
    func approve(
        _ pid: String, role: String? = nil, attributes: Set<String>? = nil
    ) async throws -> Outcome {
        try await phone.approve(pid, role: role, attributes: attributes)
    }
}

// MARK: Questions

extension XignInHarness {
    /// Opens a process: its name, the core's question, and the vendor's own of it.
    func opened() async throws -> (String, Challenge, AuthenticateRequest) {
        let pid = try await begin()
        let challenge = try await phone.authenticator.challenge(phone.id(pid))
        let details = try #require(challenge.details(as: AuthenticateRequest.self))
        return (pid, challenge, details)
    }

    /// What the last approval was signed over.
    func assertion() async throws -> JSON.Object {
        let request = try #require(await manager.requests(.finish).last)
        return try #require(Token.unverified(request["assertion"]?.string ?? "")).claims
    }

    /// A role as `start` tells it.
    static func role(_ id: String, _ lists: [[String]]) -> JSON {
        [
            "id": .string(id), "name": .string(id.uppercased()),
            "requested_authenticators": .array(lists.map { .array($0.map { .string($0) }) }),
        ]
    }
}

extension Challenge {
    /// What the user agrees to; `nil` if that is the only role and what is required.
    func agreed(
        role: String? = nil, attributes: Set<String>? = nil
    ) throws -> AuthenticationUserInformation? {
        guard role != nil || attributes != nil else { return nil }
        return AuthenticationUserInformation(
            for: try #require(details(as: AuthenticateRequest.self)), role: role,
            attributes: attributes)
    }
}
