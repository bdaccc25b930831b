import Foundation
import HTTPTypes
import PushCore
import PushTesting
import Testing

@testable import FictionalVendor

/// The short way does what the long one does, and tells what it leaves out.
@Suite struct ShortWayTests {
    private let harness = AuthenticatorHarness()

    private func phone(_ options: Acme.Options = .init()) throws -> PushAuthenticator {
        try PushAuthenticator(
            in: harness.environment, configuration: AuthenticatorHarness.quiet
        ) { [Acme("acme", options, in: $0)] }
    }

    private func enrolled(_ options: Acme.Options = .init()) async throws -> PushAuthenticator {
        let phone = try phone(options)
        try await phone.enroll(.scanned(text: "acme:ada")) { _ in true }
        return phone
    }

    // MARK: One environment

    @Test func `plugins are made in the authenticator's environment, and are its registry`()
        async throws
    {
        let phone = try await enrolled()
        #expect(await harness.transport.exchanges.count == 1)
        for challenge in try await phone.challenges(in: try AcmeWire.ask("1")) {
            #expect(try await phone.resolve(challenge, with: .approve) == .delivered)
        }
        #expect(
            try await phone.record(of: .ada("1"))?.state == .answered(.approve, .delivered))
        let longForm = try harness.authenticator()
        #expect(try await longForm.enrollments() == phone.enrollments())
    }

    @Test func `two plugins of one name are refused, and so is what making them throws`() {
        #expect(
            code { () throws(PushError) in
                try PushAuthenticator(in: harness.environment) {
                    [Acme("acme", .init(), in: $0), Acme("acme", .init(), in: $0)]
                }
            } == .duplicateProvider)
        #expect(
            code { () throws(PushError) in
                try PushAuthenticator(in: harness.environment) {
                    (_: PushEnvironment) throws(PushError) -> [any PushProvider] in
                    throw PushError(.invalidArgument, "No configuration.")
                }
            } == .invalidArgument)
    }

    // MARK: Consent

    @Test func `the user sees what would be joined, and joins it`() async throws {
        let phone = try phone()
        var seen: [Invitation.Offer] = []
        let enrollment = try await phone.enroll(.scanned(text: "acme:ada")) { offer in
            seen.append(offer)
            return true
        }
        #expect(seen.map(\.account) == ["ada"] && seen.map(\.host) == ["acme.example"])
        #expect(try await phone.enrollments() == [enrollment])
    }

    @Test func `nothing is sent for a user who doesn't agree`() async throws {
        let phone = try phone(.init(asks: [[.newPIN]]))
        #expect(
            await code {
                try await phone.enroll(.scanned(text: "acme:ada")) { _ in false }
            } == .cancelled)
        #expect(await harness.transport.exchanges.isEmpty)
        #expect(await harness.verifier.requests.isEmpty)
        #expect(try await phone.enrollments().isEmpty)
    }

    @Test(arguments: ["https://x.example", "acme:"])
    func `nobody is asked about an invitation that can't be used`(text: String) async throws {
        let phone = try phone()
        var isAsked = false
        let found = await code {
            try await phone.enroll(.scanned(text: text)) { _ in
                isAsked = true
                return true
            }
        }
        #expect(found == .invalidInvitation && !isAsked)
    }

    // MARK: What is new

    @Test func `a challenge is asked once, though its push comes twice or says that it's over`()
        async throws
    {
        let phone = try await enrolled()
        let push = try AcmeWire.ask("1")
        let first = try await phone.challenges(in: push)
        #expect(first.map(\.id) == [.ada("1")] && first.map(\.prompt) == [.approve])
        #expect(try await phone.challenges(in: push).isEmpty)
        // It still waits, as the user gave no answer.
        #expect(try await phone.unfinishedRecords().map(\.id) == [.ada("1")])
        #expect(try await phone.challenges(in: try AcmeWire.cancel("1")).isEmpty)
    }

    @Test func `the app's own push has no challenge, and a forged one is refused`() async throws {
        let phone = try await enrolled()
        #expect(try await phone.challenges(in: PushMessage(json: #"{"news":1}"#)).isEmpty)
        let forged = try AcmeWire.push(AcmeWire.claims("1"), to: "ada", key: "another")
        #expect(await code { try await phone.challenges(in: forged) } == .untrusted)
        #expect(try await phone.records().isEmpty)
    }

    @Test func `a hint's challenges are those that the vendor lists, and its error is told`()
        async throws
    {
        let phone = try await enrolled()
        let hint = try AcmeWire.hint("challenges")
        #expect(try await phone.challenges(in: hint).isEmpty)
        await harness.server.offer(["id": "1", "prompt": "approve"], to: "ada")
        await harness.server.offer(["id": "2", "prompt": "choose"], to: "ada")
        await harness.faults.next(.refuse)
        #expect(await code { try await phone.challenges(in: hint) } == .unreachable)
        let found = try await phone.challenges(in: hint)
        #expect(Set(found.map(\.id)) == [.ada("1"), .ada("2")])
    }

    @Test func `what can't be opened is told if nothing else can, and stays on record`()
        async throws
    {
        let phone = try await enrolled(.init(fetches: true))
        await harness.server.offer(["id": "1", "prompt": "approve"], to: "ada")
        await harness.faults.next(.refuse) { $0.path == "/open" }
        let push = try AcmeWire.ask("1")
        #expect(await code { try await phone.challenges(in: push) } == .unreachable)
        #expect(try await phone.unfinishedRecords().map(\.id) == [.ada("1")])
        #expect(try await phone.challenge(.ada("1")).prompt == .approve)
    }

    @Test func `what can be opened is returned, though another can't be`() async throws {
        let phone = try await enrolled(.init(fetches: true))
        for name in ["1", "2"] {
            await harness.server.offer(["id": .string(name), "prompt": "approve"], to: "ada")
        }
        await harness.faults.next(.refuse) { $0.path == "/open" }
        let found = try await phone.challenges(in: try AcmeWire.hint("challenges"))
        #expect(found.count == 1)
        #expect(try await phone.unfinishedRecords().count == 2)
    }
}
