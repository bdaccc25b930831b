import Foundation
import HTTPTypes
import PushCore
import PushPowerAuthSimulator
import PushTesting
import Testing

@testable import PushPowerAuth

/// Pushes are free to forge, so many of them cost little more than one.
@Suite struct HintFloodTests {
    private static let operation = "7e0ba60f-bf22-4ff5-b999-2733784e5eaa"

    private static func push(_ type: String, _ more: [String: String] = [:]) -> PushMessage {
        var extras = more
        extras["messageType"] = type
        if type.hasPrefix("mtoken.operation") {
            extras["operationName"] = "login"
            extras["operationId"] = operation
        }
        return PushMessage(fcm: extras)
    }

    /// Pushes, what each makes the device ask, and about what.
    private static let forged:
        [(message: PushMessage, call: PowerAuthSimulator.Call, topic: PushEvent.Hint.Topic)] = [
            (push("mtoken.operationInit"), .list, .challenges),
            // Such a push asks for the activation as well.
            (
                push(
                    "mtoken.operationFinished",
                    ["mtokenOperationResult": "operation.methodNotAvailable"]), .list, .challenges
            ),
            (push("mtoken.statusChange"), .status, .enrollment),
            (push("mtoken.inboxMessage.new", ["inboxId": "1"]), .inboxList, .inbox),
        ]

    @Test(.timeLimit(.minutes(10)), arguments: 0..<4)
    func `two hundred pushes make few calls, and an approval doesn't wait behind them`(
        _ index: Int
    ) async throws {
        let (message, call, topic) = Self.forged[index]
        let (phone, id) = try await PowerAuthHarness.active()
        let challenge = try await phone.opened(at: id)
        // Time passes only once the approval is through.
        let (approved, asking) = (Gate(letsCancelledPass: true), Gate(letsCancelledPass: true))
        let authenticator = try paced(phone, until: approved)
        await phone.gateway.hold(call, behind: asking)
        let before = await phone.calls(call)
        let first = Task { try? await authenticator.receive(message) }
        await asking.arrival()
        let pushes = Task {
            await withTaskGroup { group in
                for _ in 1..<200 {
                    group.addTask { _ = try? await authenticator.receive(message) }
                }
            }
        }
        while await authenticator.callersOfQuestion(at: challenge.id.enrollment, about: topic) < 199
        {
            try await Task.sleep(for: .milliseconds(5))
        }
        let answer = Task { try await authenticator.resolve(challenge, with: .approve) }
        await asking.open()
        #expect(try await answer.value == .delivered)
        let paths = await phone.transport.exchanges.map(\.request.path)
        let approval = try #require(
            paths.firstIndex(of: PowerAuthSimulator.Call.authorize.rawValue))
        #expect(paths[..<approval].count { $0 == call.rawValue } <= before + 1)
        await approved.open()
        await pushes.value
        _ = await first.value
        // One for the first, and one for all that came while it was asked.
        #expect(await phone.calls(call) <= before + 2)
    }

    /// The same phone with the pace of questions that apps have.
    private func paced(_ phone: PowerAuthHarness, until gate: Gate) throws -> PushAuthenticator {
        // Stands still until the gate opens; from then on, what sleeps wakes once its time is over.
        let clock = StagedClock(phone.clock) { [clock = phone.clock] duration in
            await gate.pass()
            // What gives up has slept for no time.
            if !Task.isCancelled { clock.advance(by: duration) }
        }
        let environment = PushEnvironment(
            transport: phone.transport, store: phone.disk, verifier: phone.customer,
            clock: clock, random: phone.random,
            device: PowerAuthHarness.device, observer: phone.observer)
        let provider = PowerAuth(
            configuration: phone.provider.configuration, in: environment)
        var policies = PushConfiguration()
        policies.backoff.tries = 0
        policies.asksAfterPush = false
        return PushAuthenticator(
            try PluginRegistry([provider]), in: environment, configuration: policies)
    }

    @Test func `pushes without a name that come at once read the credentials once`() async throws {
        let bank = Bank()
        let phone = try await PowerAuthHarness(of: bank)
        _ = try await phone.activated()
        let before = await phone.disk.listings
        await withTaskGroup { group in
            for _ in 0..<200 {
                group.addTask {
                    _ = try? await phone.event(of: Self.push("mtoken.operationInit"))
                }
            }
        }
        #expect(await phone.disk.listings == before + 1)
    }

    @Test func `a full inbox costs a push two calls, and the app still lists all of it`()
        async throws
    {
        let (phone, id) = try await PowerAuthHarness.active()
        for number in 0..<1_000 {
            _ = await phone.simulator.createMessage(
                for: Bank.user, subject: "Subject \(number)", summary: "S", body: "B")
            phone.bank.clock.advance(by: .seconds(1))
        }
        let challenge = try await phone.opened(at: id)
        let push = Self.push("mtoken.inboxMessage.new", ["inboxId": "1"])
        let asking = Gate(letsCancelledPass: true)
        await phone.gateway.hold(.inboxList, behind: asking)
        let found = Task { try await phone.authenticator.receive(push) }
        await asking.arrival()
        let answer = Task {
            try await phone.authenticator.resolve(challenge, with: .approve)
        }
        await asking.open()
        #expect(try await answer.value == .delivered)
        #expect(try await found.value.count == 100)
        #expect(await phone.calls(.inboxList) == 2)
        #expect(
            try await phone.bodies(.inboxList)
                .allSatisfy { $0["requestObject"]?["onlyUnread"] == true })
        let inbox = try #require(phone.provider.inbox)
        #expect(try await inbox.messages(of: phone.account(id)).count == 1_000)
    }

    @Test func `pushes without a name read the credentials once, not once each`() async throws {
        let bank = Bank()
        let phone = try await PowerAuthHarness(of: bank)
        let id = try await phone.activated()
        let before = await phone.disk.listings
        for _ in 0..<200 {
            _ = try? await phone.event(of: Self.push("mtoken.operationInit"))
        }
        #expect(await phone.disk.listings == before + 1)
        // What changes here is known at once, and what changes elsewhere soon.
        let other = try await phone.activated()
        func asked() async throws -> Set<Enrollment.ID> {
            let event = try await phone.event(of: Self.push("mtoken.statusChange"))
            guard case .hint(let hint) = event else { return [] }
            return hint.enrollments
        }
        #expect(try await asked() == [id, other])
        let third = try await phone.another().activated()
        phone.pass(3)
        #expect(try await asked() == [id, other, third])
        try await phone.manager(other).removeLocally()
        #expect(try await asked() == [id, third])
    }
}
