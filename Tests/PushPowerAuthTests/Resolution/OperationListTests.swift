import Foundation
import HTTPTypes
import PushCore
import PushPowerAuthSimulator
import PushTesting
import Testing

@testable import PushPowerAuth

@Suite struct OperationListTests {
    @Test func `what waits is announced, proved by the channel it came over`() async throws {
        let (handset, id) = try await Handset.active()
        let operation = try await handset.simulator.createOperation(for: "petr", .payment)
        let found = try await handset.authenticator.pending(for: id)
        guard case .notice(let notice, let validity)? = found.first?.kind else {
            Issue.record("There is a notice.")
            return
        }
        #expect(found.count == 1)
        #expect(notice.id == Challenge.ID(operation.id, of: id))
        #expect(notice.title == "Confirm payment")
        #expect(notice.body == "Please confirm this payment")
        #expect(notice.proof == .fetched)
        #expect(notice.issued == handset.serverClock.now)
        #expect(notice.expiry == handset.serverClock.now + 300)
        #expect(validity == .valid)
    }

    @Test func `the server's own time judges what has expired`() async throws {
        let handset = try await Handset(skew: 86_400)
        let id = try await handset.activated()
        let name = try await handset.received(at: id)
        #expect(try await handset.authenticator.record(of: name)?.state == .open)
        let clock = handset.clock
        let range = try #require(
            await clock.servers.now(
                at: handset.provider.configuration.operationServer.host, elapsed: clock.elapsed))
        #expect(abs(range.lowerBound.timeIntervalSince(handset.serverClock.now)) < 60)
    }

    @Test func `one that can't be read hides none of the others`() async throws {
        let (handset, id) = try await Handset.active()
        for members in [
            ["allowedSignatureType": ["type": "4FA", "variants": []]], ["formData": 5],
            ["operationExpires": "tomorrow"], ["ui": ["blockApprovalOnCall": "yes"]],
        ] as [JSON.Object] {
            _ = try await handset.simulator.createOperation(
                for: "petr", .payment { $0.replacedMembers = members })
        }
        let good = try await handset.simulator.createOperation(for: "petr", .payment)
        let found = try await handset.authenticator.pending(for: id)
        #expect(found.map { $0.challenge?.name } == [good.id])
        #expect(
            handset.observer.observations.count {
                $0.summary == "An operation in a list can't be read."
            } == 4)
    }

    @Test(arguments: ["APPROVED", "REJECTED", "CANCELED", "EXPIRED", "FAILED", "NEW"])
    func `only what waits is announced`(_ status: String) async throws {
        let (handset, id) = try await Handset.active()
        _ = try await handset.simulator.createOperation(
            for: "petr", .payment { $0.replacedMembers = ["status": .string(status)] })
        #expect(try await handset.authenticator.pending(for: id).isEmpty)
    }

    @Test(
        arguments: [
            ["operations": []], "none", nil,
        ] as [JSON])
    func `a list that isn't one is an error, not an empty list`(_ value: JSON) throws {
        let provider = try PowerAuth.unused
        #expect(throws: PushError.self) {
            try provider.operations(in: value, of: Enrollment.ID("a", of: "powerauth"))
        }
    }

    @Test func `of a hundred and one operations, a hundred are read, each once`() throws {
        let id = Enrollment.ID("a", of: "powerauth")
        let list = (0...100).map { number in
            var object = OperationTests.complete
            object["id"] = .string("\(number)")
            return JSON.object(object)
        }
        #expect(try PowerAuth.unused.operations(in: .array(list), of: id).count == 100)
        let same = [list[0], list[0], list[1]]
        #expect(try PowerAuth.unused.operations(in: .array(same), of: id).map(\.id) == ["0", "1"])
        // By bytes: a letter with a mark isn't the letter made with one.
        let spellings = ["\u{E9}", "e\u{301}"].map { name in
            var object = OperationTests.complete
            object["id"] = .string(name)
            return JSON.object(object)
        }
        #expect(try PowerAuth.unused.operations(in: .array(spellings), of: id).count == 2)
    }

    @Test(arguments: [
        ("cancelled", Withdrawal.Reason.cancelled), ("expired", .expired), ("approved", .finished),
        ("failed", .finished),
    ])
    func `opening what is over closes it`(
        _ end: String, _ reason: Withdrawal.Reason
    ) async throws {
        let (handset, id) = try await Handset.active()
        let name = try await handset.received(at: id)
        switch end {
        case "cancelled": try await handset.simulator.cancelOperation(name.name)
        case "expired": try await handset.simulator.expireOperation(name.name)
        case "approved": try await handset.simulator.approveElsewhere(name.name)
        default: try await handset.simulator.failOperation(name.name)
        }
        let error = await #expect(throws: PushError.self) {
            try await handset.authenticator.challenge(name)
        }
        #expect(error?.code == .over)
        #expect((error?.underlying as? PowerAuthOperationEnd)?.reason == reason)
        #expect(
            try await handset.authenticator.record(of: name)?.state
                == .over(Withdrawal(name, reason)))
    }

    @Test func `opening what the server doesn't know closes it`() async throws {
        let (handset, id) = try await Handset.active()
        let name = try await handset.received(at: id)
        await handset.simulator.spoil(
            by: .refusal(status: 400, code: "INVALID_OPERATION"), at: .detail)
        #expect(await code { try await handset.authenticator.challenge(name) } == .over)
        #expect(
            try await handset.authenticator.record(of: name)?.state
                == .over(Withdrawal(name, .unknown)))
    }

    @Test(arguments: [(404, "ERROR_NOT_FOUND"), (400, "INVALID_REQUEST"), (500, "ERROR_GENERIC")])
    func `an error that isn't about the operation leaves it open`(
        _ status: Int, _ name: String
    ) async throws {
        let (handset, id) = try await Handset.active()
        let challenge = try await handset.received(at: id)
        await handset.simulator.spoil(by: .refusal(status: status, code: name), at: .detail)
        #expect(
            await code { try await handset.authenticator.challenge(challenge) }
                == .server(status: status))
        #expect(try await handset.authenticator.record(of: challenge)?.state == .open)
    }

    @Test func `another operation than asked for is none`() async throws {
        let (handset, id) = try await Handset.active()
        let name = try await handset.received(at: id)
        await handset.simulator.spoil(by: .replaced(member: "id", value: "other"), at: .detail)
        #expect(await code { try await handset.authenticator.challenge(name) } == .malformed)
    }

    @Test func `an activation that waits for its commit is asked about, and then has operations`()
        async throws
    {
        let handset = try await Handset()
        let id = try await handset.enrolled().id
        #expect(try await handset.authenticator.pending(for: id).isEmpty)
        #expect(await handset.calls(.list) == 0)
        try await handset.simulator.commit(id.name)
        let operation = try await handset.simulator.createOperation(for: "petr", .payment)
        let found = try await handset.authenticator.pending(for: id)
        #expect(found.map { $0.challenge?.name } == [operation.id])
        #expect(try await handset.state(id) == .active)
    }

    @Test func `what the server says of an operation is its status`() async throws {
        let (handset, id) = try await Handset.active()
        let resolver = handset.provider.resolver
        func status(
            _ end: (PowerAuthSimulator, String) async throws -> Void
        ) async throws -> Challenge.Status {
            let name = try await handset.received(at: id)
            try await end(handset.simulator, name.name)
            return try await resolver.status(
                of: try await handset.authenticator.announcement(of: name))
        }
        #expect(try await status { _, _ in } == .open)
        #expect(try await status { try await $0.expireOperation($1) } == .over(.expired))
        #expect(try await status { try await $0.cancelOperation($1) } == .over(.cancelled))
        #expect(
            try await status { try await $0.failOperation($1) }
                == .over(.notTaken(.init(.stateChanged, mayRetry: false))))
        let approved = try await status { try await $0.approveElsewhere($1) }
        guard case .over(.unknown) = approved else {
            Issue.record("Whose answer it was isn't known: \(approved)")
            return
        }
    }
}

extension PowerAuth {
    /// A provider that reads, and asks nobody.
    static var unused: PowerAuth {
        get throws {
            let environment = Environment(
                transport: SimulatedTransport { _, _ in (.init(status: .badGateway), Data()) },
                store: InMemoryStore(), verifier: ScriptedVerifier.absent(),
                device: Device(name: "none", platform: .other))
            return PowerAuth(
                configuration: PowerAuthConfiguration(
                    application: try PowerAuthSimulator.Application(
                        id: "a", random: SeededRandom(seed: 1)
                    ).client, enrollmentServer: try Endpoint("https://none.example")),
                in: environment)
        }
    }
}

extension PowerAuthSimulator.Application {
    fileprivate var client: PowerAuthApplication {
        get throws { try PowerAuthApplication(sdkConfiguration: sdkConfiguration) }
    }
}
