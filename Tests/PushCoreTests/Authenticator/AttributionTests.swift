import Foundation
import HTTPTypes
import PushCore
import PushTesting
import Testing

@testable import FictionalVendor

/// The core says whose an error is, where it comes back from a provider.
struct AttributionTests {
    private let harness = AuthenticatorHarness()

    @Test(arguments: CarelessAcme.Call.allCases)
    func `an error that names no provider reaches the app with its provider's name`(
        call: CarelessAcme.Call
    ) async throws {
        let errors = try await heard(of: call)
        #expect(!errors.isEmpty)
        for error in errors {
            #expect(error.reason == CarelessAcme.error.reason)
            #expect(error.provider == "acme")
        }
        let refusals = harness.observer.observations.filter { $0.kind == .refused(.malformed) }
        #expect(refusals.allSatisfy { $0.provider == "acme" })
    }

    @Test func `what a door throws in a turn gets the provider's name`() async throws {
        let authenticator = try await enrolled()
        let errors = await [
            error {
                try await authenticator.turn(of: .ada) { (_: Account) async throws(PushError) in
                    try await fail()
                }
            },
            error {
                try await authenticator.turn(of: .ada("1")) {
                    (_: Announcement, _: Account) async throws(PushError) in try await fail()
                }
            },
        ]
        #expect(errors.map { $0?.provider } == ["acme", "acme"])
    }

    /// What an app hears where one of a provider's calls fails, by each way to that call.
    private func heard(of call: CarelessAcme.Call) async throws -> [PushError] {
        let whole = try await enrolled()
        let provider = CarelessAcme(
            acme: harness.acme("acme", .init(kept: .wholeOnceOpen)), failing: call)
        let authenticator = PushAuthenticator(
            try PluginRegistry([provider]), in: harness.environment,
            configuration: AuthenticatorHarness.quiet)
        let errors: [PushError?]
        switch call {
        case .verified:
            errors = [try await refused(AcmeWire.ask("2"), by: authenticator)]
        case .offer:
            errors = [await error { _ = try authenticator.offers(for: .scanned(text: "acme:bob")) }]
        case .enroll:
            let offer = try #require(try whole.offers(for: .scanned(text: "acme:bob")).first)
            errors = [await error { _ = try await authenticator.enroll(offer) }]
        case .update:
            errors = try await toldToken(authenticator)
        case .refresh:
            errors = [
                await error { _ = try await authenticator.refresh(.ada) },
                try await refused(AcmeWire.hint("enrollment"), by: authenticator),
            ]
        case .remove:
            errors = [
                await error { try await authenticator.remove(.ada) },
                await error { try await authenticator.remove(.ada, from: .device) },
            ]
        case .challenge:
            errors = [await error { _ = try await authenticator.challenge(.ada("1")) }]
        case .prepare, .send:
            let challenge = try await whole.challenge(.ada("1"))
            errors = [
                await error { _ = try await authenticator.resolve(challenge, with: .approve) },
                // What was decided stands, and is tried again.
                await error { _ = try await authenticator.resolve(challenge, with: .approve) },
                try await denied("2", by: authenticator, after: whole),
            ]
        case .status:
            errors = try await asked(authenticator, whole)
        case .pending:
            let failures = try await authenticator.pending().failures
            errors = [
                failures[.ada], await error { _ = try await authenticator.pending(for: .ada) },
                try await refused(AcmeWire.hint("challenges"), by: authenticator),
            ]
        case .unread:
            errors = [try await refused(AcmeWire.hint("inbox"), by: authenticator)]
        case .verification, .code:
            errors = [await error { _ = try await authenticator.code(for: .ada) }]
        }
        return try errors.map { try #require($0) }
    }

    /// An authenticator without faults at which ada is enrolled, and a challenge is open.
    private func enrolled() async throws -> PushAuthenticator {
        let authenticator = try await harness.enrolled(["ada"], .init(kept: .wholeOnceOpen))
        _ = try await authenticator.receive(try AcmeWire.ask("1"))
        return authenticator
    }

    private func toldToken(_ authenticator: PushAuthenticator) async throws -> [PushError?] {
        let changed = try await authenticator.deviceTokenChanged(.fcm("a-token"))
        let removed = try await authenticator.deviceTokenRemoved(of: .fcm)
        return [
            changed[.ada], removed[.ada],
            await error { try await authenticator.deviceTokenChanged(.fcm("b-token"), for: .ada) },
        ]
    }

    private func denied(
        _ name: String, by authenticator: PushAuthenticator, after whole: PushAuthenticator
    ) async throws -> PushError? {
        _ = try await whole.receive(try AcmeWire.ask(name))
        return await error { _ = try await authenticator.deny(.ada(name)) }
    }

    /// What is asked about an answer whose reply was lost, and about a challenge that may be over.
    private func asked(
        _ authenticator: PushAuthenticator, _ whole: PushAuthenticator
    ) async throws -> [PushError?] {
        _ = try await whole.receive(try AcmeWire.ask("2"))
        await harness.faults.next(.dropAfter) { $0.path == "/answer" }
        _ = try await whole.deny(.ada("2"))
        return [
            await error { _ = try await authenticator.deny(.ada("2")) },
            try await refused(AcmeWire.hint("finished", "1"), by: authenticator),
        ]
    }

    private func refused(
        _ message: PushMessage, by authenticator: PushAuthenticator
    ) async throws -> PushError? {
        await error { _ = try await authenticator.receive(message) }
    }

    private func fail() async throws(PushError) { throw CarelessAcme.error }

    private func error(_ body: () async throws -> Void) async -> PushError? {
        do {
            try await body()
            return nil
        } catch {
            return error as? PushError
        }
    }
}
