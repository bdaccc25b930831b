import PushCore
import PushTesting
import Testing

@testable import FictionalVendor

/// A guard that was chosen meanwhile counts, and none is lost.
struct GuardRaceTests {
    private typealias Half = GuardedAcme.Half

    @Test func `what takes a place is guarded if another process has guarded that meanwhile`()
        async throws
    {
        let app = try await GuardedApp.enrolled(.approval, nil)
        let account = try await app.acme.acme.accounts.existing(.ada)
        try await app.otherProcess(keyGuard: app.keyGuard).setGuard(.deviceOwner, of: .ada)
        let new = Enrollment(id: .ada, issuer: "new", state: .active, created: morning)
        try await account.replace(new, Half(secret("push"), secret("the new key")))
        let enrollment = try await app.authenticator.enrollment(.ada)
        #expect(enrollment?.issuer == "new" && enrollment?.guardPolicy == .deviceOwner)
        #expect(await !app.hasWritten("the new key"))
        #expect(await app.keyGuard.parts.count == 1)
    }

    @Test(arguments: [false, true])
    func `a guard that is chosen after a challenge was opened is opened for its answer`(
        isOtherProcess: Bool
    ) async throws {
        let app = try await GuardedApp.enrolled(.approval, nil)
        let challenge = try await app.authenticator.open(try AcmeWire.ask("1"))
        if isOtherProcess {
            try await app.otherProcess(keyGuard: app.keyGuard).setGuard(.deviceOwner, of: .ada)
            // The document in hand is older than the guard.
            #expect(
                await code { try await app.authenticator.resolve(challenge, with: .approve) }
                    == .locked)
            #expect(await app.harness.server.answers.isEmpty)
        } else {
            try await app.authenticator.setGuard(.deviceOwner, of: .ada)
        }
        #expect(await app.questions == 0)
        #expect(try await app.authenticator.resolve(challenge, with: .approve) == .delivered)
        #expect(await app.questions == 1)
    }

    @Test func `a door for biometry doesn't take a guard away that seals a half's own keys`()
        async throws
    {
        let app = try await GuardedApp.enrolled(.approval, .deviceOwner)
        let account = try await app.acme.acme.accounts.existing(.ada)
        let refused = await code {
            try await account.change(guarding: nil) { (half: inout Half, _, _) in half.note = "no" }
        }
        #expect(refused == .unsupported)
        #expect(try await app.authenticator.enrollment(.ada)?.guardPolicy == .deviceOwner)
    }
}
