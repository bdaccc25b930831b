import PushCore
import PushXignIn
import Testing

extension World {
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
