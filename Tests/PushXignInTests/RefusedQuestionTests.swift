import Foundation
import IndependentEncodings
import PushCore
import PushTesting
import PushXignIn
import Testing

/// Questions that a manager may not ask this way: `docs/vendors/xignin-oxrw.md#5-a-process`.
@Suite struct RefusedQuestionTests {
    // MARK: What is refused

    @Test func `another service than the one shown before is refused`() async throws {
        let harness = try await XignInHarness()
        let pid = try await harness.begin()
        await harness.manager.next(
            .start, .changed { $0["service"] = ["id": "svc-2", "name": "Demo Shop"] })
        await #expect(throws: PushError.self) { _ = try await harness.approve(pid) }
        #expect(await harness.manager.requests(.finish).isEmpty)
        #expect(await harness.manager.decisions(pid).isEmpty)
    }

    @Test(arguments: [
        "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "", "x",
        "_zWGBvKanJ4WRUCEEcnpA1Lat4GOn77uuTIATdOV4aU=",
    ])
    func `a transaction whose hash isn't its text's is refused`(hash: String) async throws {
        let harness = try await XignInHarness()
        let pid = try await harness.begin()
        await harness.manager.next(
            .start,
            .changed {
                $0["transaction"] = ["text": "Pay 12.51 EUR", "sha256": .string(hash)]
            })
        await #expect(throws: PushError.self) { _ = try await harness.approve(pid) }
        #expect(await harness.manager.requests(.finish).isEmpty)
    }

    @Test(arguments: [true, false])
    func `a transaction that changes between opening and opening is another question`(
        answersFirst: Bool
    ) async throws {
        let harness = try await XignInHarness()
        let (pid, first, _) = try await harness.opened()
        let changed = "Pay 9000 EUR to Demo GmbH"
        let hash = base64url(sha256(changed.utf8))
        await harness.manager.next(
            .start,
            .changed { $0["transaction"] = ["text": .string(changed), "sha256": .string(hash)] }
        )
        let second = try await harness.phone.authenticator.challenge(harness.phone.id(pid))
        #expect(first.fields.contains { $0.value == WorkedExample.transaction })
        #expect(second.fields.contains { $0.value == changed })
        #expect(!second.fields.contains { $0.value == WorkedExample.transaction })
        _ = try await harness.phone.authenticator.resolve(
            answersFirst ? first : second, with: .approve)
        // What is signed is what this user saw, whatever was asked since.
        let seen = answersFirst ? base64url(sha256(WorkedExample.transaction.utf8)) : hash
        #expect(try await harness.assertion()["tx"] == .string(seen))
    }

    // MARK: Too much

    @Test(.timeLimit(.minutes(10)))
    func `many roles with many alternatives cost no more than their number`() async throws {
        let lists = (0..<32).map {
            [["pin", "device"], ["pin"], ["device", "pin", "x\($0)"]][$0 % 3]
        }
        let roles = (0..<32).map { XignInHarness.role("role-\($0)", lists) }
        let harness = try await XignInHarness { $0.roles = roles }
        let (_, challenge, request) = try await harness.opened()
        #expect(request.roles.count == 32)
        #expect(challenge.verification == [[.pin]])
    }

    @Test(arguments: [(33, 1), (1, 33)])
    func `more roles or alternatives than anybody could choose from can't be approved`(
        roles: Int, alternatives: Int
    ) async throws {
        let lists = Array(repeating: ["pin", "device"], count: alternatives)
        let asked = (0..<roles).map { XignInHarness.role("role-\($0)", lists) }
        let harness = try await XignInHarness { $0.roles = asked }
        let pid = try await harness.begin()
        let error = try await refusal {
            _ = try await harness.phone.approve(pid, role: "role-0")
        }
        #expect(error.code == .unsupported)
        #expect(await harness.manager.requests(.finish).isEmpty)
        #expect(try await harness.phone.state(pid) == .open)
    }

    @Test(arguments: ["", "e mail", "caf\u{e9}", "a,b", String(repeating: "a", count: 129)])
    func `an attribute whose name can't be one is never released`(name: String) async throws {
        let attribute: JSON = ["requirement": "optional", "value": nil]
        let info = JSON.Object([(name, attribute)])
        let harness = try await XignInHarness { $0.info = info }
        let pid = try await harness.begin()
        let error = try await refusal {
            _ = try await harness.phone.approve(pid, attributes: [name])
        }
        #expect(error.code == .unsupported)
        #expect(await harness.manager.requests(.finish).isEmpty)
        #expect(try await harness.phone.state(pid) == .open)
    }

    @Test(arguments: [Manager.Call.initialization, .start])
    func `an answer about another process is refused`(call: Manager.Call) async throws {
        let harness = try await XignInHarness()
        let pid = try await harness.begin()
        await harness.manager.next(call, .changed { $0["pid"] = "prc-other" })
        await #expect(throws: PushError.self) { _ = try await harness.approve(pid) }
        #expect(await harness.manager.requests(.finish).isEmpty)
        #expect(try await harness.phone.state(pid) == .open)
    }

    @Test(arguments: [
        "pid", "roles", "info", "service", "challenge", "expires_at", "organization",
    ])
    func `a start without a member it needs is refused`(name: String) async throws {
        let harness = try await XignInHarness()
        let pid = try await harness.begin()
        for value in [nil, true] as [JSON?] {
            await harness.manager.next(.start, .changed { $0[name] = value })
            await #expect(throws: PushError.self) {
                _ = try await harness.phone.authenticator.challenge(harness.phone.id(pid))
            }
        }
        #expect(try await harness.approve(pid) == .delivered)
    }

    @Test(arguments: ["pid", "api", "expires_at", "nonce", "service", "organization"])
    func `an initialization without a member it needs is refused`(name: String) async throws {
        let harness = try await XignInHarness()
        let pid = try await harness.begin()
        for value in [nil, true] as [JSON?] {
            await harness.manager.next(.initialization, .changed { $0[name] = value })
            await #expect(throws: PushError.self) {
                _ = try await harness.phone.authenticator.challenge(harness.phone.id(pid))
            }
        }
        #expect(await harness.manager.requests(.start).isEmpty)
    }

    @Test func `control and bidirectional characters aren't shown`() async throws {
        let harness = try await XignInHarness {
            $0.service = ["id": "svc-1", "name": "Demo\u{202E}\u{7} Shop"]
        }
        let (_, challenge, _) = try await harness.opened()
        let shown = challenge.fields.map(\.value).joined()
        #expect(!shown.unicodeScalars.contains { $0 == "\u{202E}" || $0 == "\u{7}" })
    }
}
