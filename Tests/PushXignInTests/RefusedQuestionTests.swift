import Foundation
import PushCore
import PushTesting
import PushXignIn
import Testing

/// Section B4: questions that a manager may not ask this way.
@Suite struct RefusedQuestionTests {
    static func role(_ id: String, _ lists: [[String]]) -> JSON {
        [
            "id": .string(id), "name": .string(id.uppercased()),
            "requested_authenticators": .array(lists.map { .array($0.map { .string($0) }) }),
        ]
    }

    private func opened(_ world: World) async throws -> (String, Challenge, AuthenticateRequest) {
        let pid = try await world.begin()
        let challenge = try await world.phone.authenticator.challenge(world.phone.id(pid))
        let details = try #require(challenge.details(as: AuthenticateRequest.self))
        return (pid, challenge, details)
    }

    private func assertion(_ world: World) async throws -> JSON.Object {
        let request = try #require(await world.manager.requests(.finish).last)
        return try #require(Token.unverified(request["assertion"]?.string ?? "")).claims
    }

    // MARK: What is refused

    @Test func `another service than the one shown before is refused`() async throws {
        let world = try await World()
        let pid = try await world.begin()
        await world.manager.next(
            .start, .changed { $0["service"] = ["id": "svc-2", "name": "Demo Shop"] })
        await #expect(throws: PushError.self) { _ = try await world.approve(pid) }
        #expect(await world.manager.requests(.finish).isEmpty)
        #expect(await world.manager.taken(pid).isEmpty)
    }

    @Test(arguments: [
        "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "", "x",
        "_zWGBvKanJ4WRUCEEcnpA1Lat4GOn77uuTIATdOV4aU=",
    ])
    func `a transaction whose hash isn't its text's is refused`(hash: String) async throws {
        let world = try await World()
        let pid = try await world.begin()
        await world.manager.next(
            .start,
            .changed {
                $0["transaction"] = ["text": "Pay 12.51 EUR", "sha256": .string(hash)]
            })
        await #expect(throws: PushError.self) { _ = try await world.approve(pid) }
        #expect(await world.manager.requests(.finish).isEmpty)
    }

    @Test func `a transaction that changes between opening and opening is another question`()
        async throws
    {
        let world = try await World()
        let (_, challenge, _) = try await opened(world)
        #expect(
            try await world.phone.authenticator.resolve(challenge, with: .approve) == .delivered)
        #expect(
            try await assertion(world)["tx"] == .string(base64url(sha256(Sheet.transaction.utf8))))
    }

    @Test(arguments: [Manager.Call.initialization, .start])
    func `an answer about another process is refused`(call: Manager.Call) async throws {
        let world = try await World()
        let pid = try await world.begin()
        await world.manager.next(call, .changed { $0["pid"] = "prc-other" })
        await #expect(throws: PushError.self) { _ = try await world.approve(pid) }
        #expect(await world.manager.requests(.finish).isEmpty)
        #expect(try await world.phone.state(pid) == .open)
    }

    @Test(arguments: [
        "pid", "roles", "info", "service", "challenge", "expires_at", "organization",
    ])
    func `a start without a member it needs is refused`(name: String) async throws {
        let world = try await World()
        let pid = try await world.begin()
        for value in [nil, true] as [JSON?] {
            await world.manager.next(.start, .changed { $0[name] = value })
            await #expect(throws: PushError.self) {
                _ = try await world.phone.authenticator.challenge(world.phone.id(pid))
            }
        }
        #expect(try await world.approve(pid) == .delivered)
    }

    @Test(arguments: ["pid", "api", "expires_at", "nonce", "service", "organization"])
    func `an initialization without a member it needs is refused`(name: String) async throws {
        let world = try await World()
        let pid = try await world.begin()
        for value in [nil, true] as [JSON?] {
            await world.manager.next(.initialization, .changed { $0[name] = value })
            await #expect(throws: PushError.self) {
                _ = try await world.phone.authenticator.challenge(world.phone.id(pid))
            }
        }
        #expect(await world.manager.requests(.start).isEmpty)
    }

    @Test func `control and bidirectional characters aren't shown`() async throws {
        let world = try await World {
            $0.service = ["id": "svc-1", "name": "Demo\u{202E}\u{7} Shop"]
        }
        let (_, challenge, _) = try await opened(world)
        let shown = challenge.fields.map(\.value).joined()
        #expect(!shown.unicodeScalars.contains { $0 == "\u{202E}" || $0 == "\u{7}" })
    }
}
