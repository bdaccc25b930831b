import PushCore
import PushOneSpan
import PushOneSpanReference
import PushOneSpanSimulator
import PushTesting
import Testing

/// What the core asks of every provider.
@Suite(.timeLimit(.minutes(3))) struct ProviderConformanceTests {
    /// A device, and messages of every sort for it.
    private func fixtures() async throws -> (handset: OneSpanHarness, fixtures: ProviderFixtures) {
        let handset = try await OneSpanHarness.joined()
        let tenant = handset.site.tenant
        func push(_ fault: OneSpanSimulator.BadPush?) async throws -> PushMessage {
            _ = try await tenant.startLogin(
                of: Sample.user, asking: .confirm, spoiledBy: fault)
            return try #require(try await handset.pushes().first)
        }
        _ = try await handset.site.transaction()
        let transaction = try #require(try await handset.pushes().first)
        var fixtures = ProviderFixtures(
            genuine: [transaction, try await push(nil), try await push(nil)])
        for part in Part.allCases where part != .length {
            fixtures.forged.append(try await push(.tampered(bit: part.rawValue)))
        }
        fixtures.forged.append(try await push(.wrongKey))
        fixtures.forged.append(try await push(.wrongType))
        fixtures.malformed = try await [
            push(.unknownField), push(.tampered(bit: Part.length.rawValue)),
        ]
        fixtures.foreign = [
            PushMessage(fcm: [:]), PushMessage(fcm: ["message": "hello"]),
            PushMessage(fcm: ["oos": "hello"]), PushMessage(text: "hello", by: .scanned),
            PushMessage(fcm: ["aps": "hello"]),
        ]
        return (handset, fixtures)
    }

    @Test func `the conformance suite finds nothing in the provider alone`() async throws {
        let (handset, fixtures) = try await fixtures()
        let findings = await ProviderConformance(
            handset.provider, in: handset.environment, fixtures: fixtures
        ).check()
        #expect(findings == [])
    }

    @Test func `the conformance suite finds nothing behind an authenticator`() async throws {
        let (handset, fixtures) = try await fixtures()
        let conformance = ProviderConformance(
            handset.provider, in: handset.environment, fixtures: fixtures)
        let findings = await conformance.check(behind: handset.authenticator)
        #expect(findings == [])
    }

    @Test func `two providers of different names share a store without meeting`()
        async throws
    {
        let handset = try await OneSpanHarness.joined()
        let other = OneSpan(
            id: "onespan/other", engine: handset.engine, relay: nil,
            configuration: .init(identifiers: OpenNotificationIdentifiers()),
            in: PushEnvironment(
                transport: handset.transport, store: handset.store, verifier: handset.user,
                clock: handset.clock, device: Device(name: "x", platform: .other)))
        _ = try await handset.site.login()
        let message = try #require(try await handset.pushes().first)
        await #expect(throws: PushError.self) {
            _ = try await other.candidate(in: message)?.verified(with: other.accounts)
        }
    }
}
