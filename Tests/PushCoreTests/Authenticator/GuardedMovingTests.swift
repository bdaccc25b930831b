import PushCore
import PushTesting
import Testing

@testable import FictionalVendor

/// What is guarded leaves opened, and is guarded again where it arrives.
struct GuardedMovingTests {
    private func importing(
        by keyGuard: (any KeyGuard)?, _ content: Secret
    ) async throws -> (result: ImportedEnrollment.Result?, app: PushAuthenticator, store: [UInt8]) {
        let harness = AuthenticatorHarness(keyGuard: keyGuard)
        let app = try harness.authenticator(of: GuardedAcme(.approval, in: harness.environment))
        let result = try await app.importEnrollments(from: content).first?.result
        return (result, app, try await harness.rawStore())
    }

    @Test func `it leaves opened, after a question, and is guarded where it arrives`() async throws
    {
        let app = try await GuardedApp.enrolled(.approval, .deviceOwner)
        let preview = try await app.authenticator.exportPreview()
        guard case .moved? = preview.first?.result else {
            Issue.record("\(preview)")
            return
        }
        #expect(await app.questions == 0)
        let export = try await app.authenticator.export()
        #expect(await app.questions == 1)
        #expect(bytes(export.content.withBytes { Array($0) }, hold: GuardedAcme.key))
        #expect(await !app.hasWritten(GuardedAcme.key))

        let (result, new, store) = try await importing(by: ScriptedGuard(), export.content)
        guard case .taken(let enrollment)? = result else {
            Issue.record("\(String(describing: result))")
            return
        }
        #expect(enrollment.guardPolicy == .deviceOwner)
        #expect(!bytes(store, hold: GuardedAcme.key))
        let challenge = try await new.open(try AcmeWire.ask("1"))
        #expect(try await new.resolve(challenge, with: .approve) == .delivered)
    }

    @Test func `where nothing guards it so it isn't taken`() async throws {
        let app = try await GuardedApp.enrolled(.approval, .deviceOwner)
        let content = try await app.authenticator.export().content
        for keyGuard in [nil, ScriptedGuard([.presence])] as [(any KeyGuard)?] {
            let (result, new, _) = try await importing(by: keyGuard, content)
            guard case .left(let error)? = result else {
                Issue.record("\(String(describing: result))")
                continue
            }
            #expect(error.code == .unsupported)
            #expect(try await new.enrollments().isEmpty)
        }
    }

    @Test func `what isn't opened stays, and is in no export`() async throws {
        let app = try await GuardedApp.enrolled(.approval, .deviceOwner)
        await app.keyGuard.refuse(with: .cancelled)
        let export = try await app.authenticator.export()
        guard case .failed(let error)? = export.entries.first?.result else {
            Issue.record("\(export.entries)")
            return
        }
        #expect(error.code == .cancelled)
        #expect(try await app.authenticator.enrollment(.ada)?.state == .active)
        let (result, _, _) = try await importing(by: ScriptedGuard(), export.content)
        #expect(result == nil)
    }

    @Test func `what comes back is guarded as before`() async throws {
        let app = try await GuardedApp.enrolled(.approval, .deviceOwner)
        let content = try await app.authenticator.export().content
        guard
            case .taken(let enrollment)? = try await app.authenticator
                .importEnrollments(from: content).first?.result
        else {
            Issue.record("It wasn't taken.")
            return
        }
        #expect(enrollment.guardPolicy == .deviceOwner)
        #expect(await !app.hasWritten(GuardedAcme.key))
        #expect(await app.keyGuard.parts.count == 1)
        let challenge = try await app.authenticator.open(try AcmeWire.ask("1"))
        #expect(try await app.authenticator.resolve(challenge, with: .approve) == .delivered)
    }
}
