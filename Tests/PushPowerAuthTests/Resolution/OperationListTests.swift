import Foundation
import HTTPTypes
import PushCore
import PushPowerAuthSimulator
import PushTesting
import Testing

@testable import PushPowerAuth

@Suite struct OperationListTests {
    @Test func `what waits is announced, proved by the channel it came over`() async throws {
        let (phone, id) = try await PowerAuthHarness.active()
        let operation = try await phone.simulator.createOperation(for: Bank.user, .payment)
        let found = try await phone.authenticator.pending(for: id)
        guard case .notice(let notice, let validity)? = found.first?.kind else {
            Issue.record("There is a notice.")
            return
        }
        #expect(found.count == 1)
        #expect(notice.id == Challenge.ID(operation.id, of: id))
        #expect(notice.title == "Confirm payment")
        #expect(notice.body == "Please confirm this payment")
        #expect(notice.proof == .fetched)
        #expect(notice.issued == phone.bank.clock.now)
        #expect(notice.expiry == phone.bank.clock.now + 300)
        #expect(validity == .valid)
    }

    @Test func `the server's own time judges what has expired`() async throws {
        let phone = try await PowerAuthHarness(skew: 86_400)
        let id = try await phone.activated()
        let name = try await phone.received(at: id)
        #expect(try await phone.authenticator.record(of: name)?.state == .open)
        let clock = phone.clock
        let range = try #require(
            await clock.serverTime.now(
                at: Endpoint.ServerID(
                    phone.provider.configuration.operationServer, of: "powerauth"),
                elapsed: clock.elapsed))
        #expect(abs(range.lowerBound.timeIntervalSince(phone.bank.clock.now)) < 60)
    }

    @Test func `one that can't be read hides none of the others`() async throws {
        let (phone, id) = try await PowerAuthHarness.active()
        for members in [
            ["allowedSignatureType": ["type": "4FA", "variants": []]], ["formData": 5],
            ["operationExpires": "tomorrow"], ["ui": ["blockApprovalOnCall": "yes"]],
        ] as [JSON.Object] {
            _ = try await phone.simulator.createOperation(
                for: Bank.user, .payment { $0.replacedMembers = members })
        }
        let good = try await phone.simulator.createOperation(for: Bank.user, .payment)
        let found = try await phone.authenticator.pending(for: id)
        #expect(found.map { $0.challenge?.name } == [good.id])
        #expect(
            phone.observer.observations.count {
                $0.summary == "An operation in a list can't be read."
                    && $0.kind == .refused(.malformed)
            } == 4)
    }

    @Test(arguments: ["APPROVED", "REJECTED", "CANCELED", "EXPIRED", "FAILED", "NEW"])
    func `only what waits is announced`(_ status: String) async throws {
        let (phone, id) = try await PowerAuthHarness.active()
        _ = try await phone.simulator.createOperation(
            for: Bank.user, .payment { $0.replacedMembers = ["status": .string(status)] })
        #expect(try await phone.authenticator.pending(for: id).isEmpty)
    }

    @Test(
        arguments: [
            ["operations": []], "none", nil,
        ] as [JSON])
    func `a list that isn't one is an error, not an empty list`(_ value: JSON) throws {
        let calls = OperationCalls(channel: try PowerAuth.unused.channel)
        #expect(throws: PushError.self) {
            try calls.operations(in: value, of: Enrollment.ID("a", of: "powerauth"))
        }
    }

    @Test func `of a hundred and one operations, a hundred are read, each once`() throws {
        let id = Enrollment.ID("a", of: "powerauth")
        let list = (0...100).map { number in
            var object = OperationTests.complete
            object["id"] = .string("\(number)")
            return JSON.object(object)
        }
        func read(_ list: [JSON]) throws -> OperationCalls.OperationList {
            try OperationCalls(channel: PowerAuth.unused.channel)
                .operations(in: .array(list), of: id)
        }
        #expect(try read(list).operations.count == 100)
        // A server lists a hundred at most, so there may be more than that.
        #expect(try !read(Array(list.prefix(100))).isComplete)
        #expect(try read(Array(list.prefix(99))).isComplete)
        #expect(try !read([list[0], 5]).isComplete)
        let same = [list[0], list[0], list[1]]
        #expect(try read(same).operations.map(\.id) == ["0", "1"])
        #expect(try read(same).isComplete)
        // By bytes: a letter with a mark isn't the letter made with one.
        let spellings = ["\u{E9}", "e\u{301}"].map { name in
            var object = OperationTests.complete
            object["id"] = .string(name)
            return JSON.object(object)
        }
        #expect(try read(spellings).operations.count == 2)
    }

    @Test(arguments: [
        ("cancelled", Withdrawal.Reason.cancelled), ("expired", .expired), ("approved", .finished),
        ("failed", .finished),
    ])
    func `opening what is over closes it`(
        _ end: String, _ reason: Withdrawal.Reason
    ) async throws {
        let (phone, id) = try await PowerAuthHarness.active()
        let name = try await phone.received(at: id)
        try await self.end(end, name, at: phone.simulator)
        let error = await #expect(throws: PushError.self) {
            try await phone.authenticator.challenge(name)
        }
        #expect(error?.code == .over)
        #expect(error?.ends == reason)
        #expect(
            try await phone.authenticator.record(of: name)?.state
                == .over(Withdrawal(name, reason)))
    }

    private func end(
        _ end: String, _ name: Challenge.ID, at simulator: PowerAuthSimulator
    ) async throws {
        switch end {
        case "cancelled": try await simulator.cancelOperation(name.name)
        case "expired": try await simulator.expireOperation(name.name)
        case "approved": try await simulator.approveElsewhere(name.name)
        default: try await simulator.failOperation(name.name)
        }
    }

    @Test(arguments: [
        ("cancelled", Withdrawal.Reason.cancelled), ("expired", .expired), ("approved", .finished),
        ("failed", .finished),
    ])
    func `an operation that left the list is over, as the server says why`(
        _ how: String, _ reason: Withdrawal.Reason
    ) async throws {
        let (phone, id) = try await PowerAuthHarness.active()
        let name = try await phone.received(at: id)
        let other = try await phone.received(at: id)
        try await end(how, name, at: phone.simulator)
        let found = try await phone.authenticator.pending(for: id)
        #expect(found.map(\.kind).contains(.over(Withdrawal(name, reason))))
        #expect(
            try await phone.authenticator.record(of: name)?.state
                == .over(Withdrawal(name, reason)))
        #expect(try await phone.authenticator.record(of: other)?.state == .open)
        // What is over isn't asked about by the next list.
        let asked = await phone.calls(.detail)
        _ = try await phone.authenticator.pending(for: id)
        #expect(await phone.calls(.detail) == asked)
    }

    @Test func `an operation that ran out at the server is gone by the next list`() async throws {
        let (phone, id) = try await PowerAuthHarness.active()
        let name = try await phone.received(.payment { $0.lifetime = .seconds(30) }, at: id)
        phone.pass(31)
        _ = try await phone.authenticator.pending(for: id)
        #expect(
            try await phone.authenticator.record(of: name)?.state
                == .over(Withdrawal(name, .expired)))
    }

    @Test func `a list with an entry that can't be read ends nothing`() async throws {
        let (phone, id) = try await PowerAuthHarness.active()
        let name = try await phone.received(at: id)
        _ = try await phone.simulator.createOperation(
            for: Bank.user, .payment { $0.replacedMembers = ["formData": 5] })
        try await phone.simulator.cancelOperation(name.name)
        let asked = await phone.calls(.detail)
        _ = try await phone.authenticator.pending(for: id)
        #expect(await phone.calls(.detail) == asked)
        #expect(try await phone.authenticator.record(of: name)?.state == .open)
    }

    @Test func `an operation that a list lacks and the server still has stays open`() async throws {
        let (phone, id) = try await PowerAuthHarness.active()
        let name = try await phone.received(at: id)
        let gateway = Gateway.Answer(200, #"{"status":"OK","responseObject":[]}"#)
        await phone.gateway.answer(.list, with: gateway)
        _ = try await phone.authenticator.pending(for: id)
        #expect(await phone.calls(.detail) == 1)
        #expect(try await phone.authenticator.record(of: name)?.state == .open)
    }

    @Test func `opening what the server doesn't know closes it`() async throws {
        let (phone, id) = try await PowerAuthHarness.active()
        let name = try await phone.received(at: id)
        await phone.simulator.spoil(
            by: .refusal(status: 400, code: "INVALID_OPERATION"), at: .detail)
        #expect(await code { try await phone.authenticator.challenge(name) } == .over)
        #expect(
            try await phone.authenticator.record(of: name)?.state
                == .over(Withdrawal(name, .unknown)))
    }

    @Test(arguments: [(404, "ERROR_NOT_FOUND"), (400, "INVALID_REQUEST"), (500, "ERROR_GENERIC")])
    func `an error that isn't about the operation leaves it open`(
        _ status: Int, _ name: String
    ) async throws {
        let (phone, id) = try await PowerAuthHarness.active()
        let challenge = try await phone.received(at: id)
        await phone.simulator.spoil(by: .refusal(status: status, code: name), at: .detail)
        #expect(
            await code { try await phone.authenticator.challenge(challenge) }
                == .server(status: status))
        #expect(try await phone.authenticator.record(of: challenge)?.state == .open)
    }

    @Test func `another operation than asked for is none`() async throws {
        let (phone, id) = try await PowerAuthHarness.active()
        let name = try await phone.received(at: id)
        await phone.simulator.spoil(by: .replaced(member: "id", value: "other"), at: .detail)
        #expect(await code { try await phone.authenticator.challenge(name) } == .malformed)
    }

    @Test func `an activation that waits for its commit is asked about, and then has operations`()
        async throws
    {
        let phone = try await PowerAuthHarness()
        let id = try await phone.enroll().id
        #expect(try await phone.authenticator.pending(for: id).isEmpty)
        #expect(await phone.calls(.list) == 0)
        try await phone.simulator.commit(id.name)
        let operation = try await phone.simulator.createOperation(for: Bank.user, .payment)
        let found = try await phone.authenticator.pending(for: id)
        #expect(found.map { $0.challenge?.name } == [operation.id])
        #expect(try await phone.state(id) == .active)
    }

    @Test func `what the server says of an operation is its status`() async throws {
        let (phone, id) = try await PowerAuthHarness.active()
        let resolver = phone.provider.resolver
        func status(
            _ end: (PowerAuthSimulator, String) async throws -> Void
        ) async throws -> Challenge.Status {
            let name = try await phone.received(at: id)
            try await end(phone.simulator, name.name)
            var announcement = try await phone.authenticator.announcement(of: name)
            return try await resolver.status(
                for: &announcement, of: try await phone.account(id), kept: nil)
        }
        #expect(try await status { _, _ in } == .open)
        #expect(try await status { try await $0.expireOperation($1) } == .over(.expired))
        #expect(try await status { try await $0.cancelOperation($1) } == .over(.cancelled))
        #expect(
            try await status { try await $0.failOperation($1) }
                == .over(.notTaken(.init(.stateChanged, mayRetry: false, appliesToAllCopies: true)))
        )
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
            let environment = PushEnvironment(
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
