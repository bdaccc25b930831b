import Foundation
import HTTPTypes
import PushCore
import PushPowerAuth
import PushPowerAuthSimulator
import PushTesting
import Testing

/// What the core asks of every provider, over every message that this one meets.
@Suite struct ConformanceTests {
    private func fixtures(_ phone: PowerAuthHarness, _ id: Enrollment.ID) async throws
        -> ProviderFixtures
    {
        let bank = phone.bank
        var fixtures = ProviderFixtures(genuine: [])
        for _ in 0..<2 {
            let operation = try await bank.ask()
            fixtures.genuine += try await bank.simulator.takePushes().map { try $0.message() }
            let link = try await bank.simulator.proximityLink(of: operation)
            fixtures.genuine.append(PushMessage(text: link, by: .link))
        }
        fixtures.genuine.append(
            PushMessage(fcm: ["messageType": "mtoken.statusChange", "activationId": id.name]))
        fixtures.genuine.append(
            PushMessage(fcm: ["messageType": "mtoken.inboxMessage.new", "inboxId": "1"]))
        for key in [PowerAuthSimulator.OfflineKey.master, .personalized] {
            var request = PowerAuthSimulator.OfflineRequest(
                operation: "offline-\(key)", title: "T", message: "M", data: "A2")
            request.key = key
            let text = try await bank.simulator.createOfflineCode(request, for: id.name).text
            fixtures.genuine.append(PushMessage(text: text, by: .scanned))
            fixtures.forged.append(
                PushMessage(text: text.replacing("\nA2\n", with: "\nA3\n"), by: .scanned))
            fixtures.forged.append(
                PushMessage(text: text.replacing("offline-", with: "offlinf-"), by: .scanned))
        }
        fixtures.forged.append(
            PushMessage(fcm: [
                "messageType": "mtoken.statusChange",
                "activationId": "5b753d0d-d59a-49b7-bec4-eae258566dbb",
            ]))
        let operation = "7e0ba60f-bf22-4ff5-b999-2733784e5eaa"
        fixtures.foreign = [
            try PushMessage(json: Data(#"{"aps":{"alert":"News"}}"#.utf8)),
            PushMessage(fcm: ["messageType": "mtoken.other", "operationId": operation]),
            PushMessage(fcm: ["messageType": "mtoken.operationInit", "operationId": operation]),
            PushMessage(text: "4F4F", by: .scanned),
            PushMessage(text: "https://bank.example/?oid=\(operation)", by: .link),
            PushMessage(text: "a\nb\nc\nd\ne\nf", by: .scanned),
        ]
        return fixtures
    }

    /// Ends, where nothing else waits: each hint tells all that does.
    private func ends(_ phone: PowerAuthHarness) async throws -> ProviderFixtures {
        let bank = phone.bank
        var fixtures = ProviderFixtures(genuine: [])
        let cancelled = try await bank.ask(.login)
        let announced = try await bank.simulator.takePushes().map { try $0.message() }
        try await bank.simulator.cancelOperation(cancelled)
        let withdrawn = try await bank.simulator.takePushes().map { try $0.message() }
        fixtures.withdrawals = [
            .init(
                announcement: try #require(announced.first),
                withdrawal: try #require(withdrawn.first))
        ]
        _ = try await bank.ask(.login) { $0.lifetime = .seconds(1) }
        fixtures.expired = try await bank.simulator.takePushes().map { try $0.message() }
        phone.pass(2)
        return fixtures
    }

    private func phone() async throws -> (PowerAuthHarness, Enrollment.ID) {
        let phone = try await PowerAuthHarness(of: Bank())
        let id = try await phone.activated(token: .fcm("t"))
        _ = await phone.bank.simulator.takePushes()
        return (phone, id)
    }

    @Test func `the conformance suite finds nothing alone`() async throws {
        let (phone, id) = try await phone()
        let fixtures = try await fixtures(phone, id)
        let findings = await ProviderConformance(
            phone.provider, in: phone.environment, fixtures: fixtures
        ).check()
        #expect(findings == [])
    }

    @Test func `the conformance suite finds nothing behind an authenticator`() async throws {
        let (phone, id) = try await phone()
        let fixtures = try await fixtures(phone, id)
        let conformance = ProviderConformance(
            phone.provider, in: phone.environment, fixtures: fixtures)
        let findings = await conformance.check(behind: phone.authenticator)
        #expect(findings == [])
    }

    @Test func `the conformance suite finds nothing about what is over`() async throws {
        let (phone, _) = try await phone()
        let fixtures = try await ends(phone)
        let conformance = ProviderConformance(
            phone.provider, in: phone.environment, fixtures: fixtures)
        let findings = await conformance.check(behind: phone.authenticator)
        #expect(findings == [])
    }

    @Test func `no push is more than a hint`() async throws {
        let (phone, id) = try await phone()
        for message in try await fixtures(phone, id).genuine where message.channel == .push {
            guard case .hint = try await phone.event(of: message) else {
                Issue.record("\(message) proves something.")
                continue
            }
        }
    }

    @Test func `foreign messages are left alone, and nobody hears of them`() async throws {
        let (phone, id) = try await phone()
        let foreign = try await fixtures(phone, id).foreign
        let before = phone.observer.observations.count
        for message in foreign {
            #expect(phone.provider.candidate(in: message) == nil)
            #expect(try await phone.authenticator.receive(message).isEmpty)
        }
        #expect(phone.observer.observations.count == before)
    }
}
