import Foundation
import PushCore
import PushForgeRockSimulator
import PushTesting
import Testing

@testable import IOSSnippets

/// What `docs/guides/ios.md` quotes and Linux can compile.
@Suite struct `the guide to iOS` {
    private let am = ForgeRockSimulator()
    private let store = InMemoryStore()
    private let policy = NotificationPolicy()

    private func flow(_ process: AppProcess) throws -> PushFlow {
        PushFlow(
            try makeAuthenticator(
                for: process, store: store, verifier: ScriptedVerifier.willing(),
                transport: SimulatedTransport(to: am)), policy: policy)
    }

    private func push() async throws -> PushMessage {
        _ = try await am.startLogin(of: "jane", asking: .confirm)
        return try PushMessage(json: try #require(await am.takePushes().first).payload)
    }

    /// An app whose user has enrolled.
    private func enrolled() async throws -> PushFlow {
        let app = try flow(.app)
        try await app.registered([0x0A, 0xFF], isSandbox: true)
        let offers = try app.authenticator.offers(for: try await am.invitation(for: "jane"))
        _ = try await app.authenticator.enroll(try #require(offers.first))
        return app
    }

    @Test func `the token goes to the vendor in hexadecimal`() async throws {
        _ = try await enrolled()
        _ = try await am.startLogin(of: "jane", asking: .confirm)
        let push = try #require(await am.takePushes().first)
        // A push doesn't tell which of Apple's services the vendor took the token for.
        guard case .apns(let hex, _) = push.deviceToken else {
            Issue.record("\(push.deviceToken)")
            return
        }
        #expect(hex.lowercased() == "0aff")
    }

    @Test func `the extension shows what the app can answer, until it is answered`() async throws {
        let app = try await enrolled()
        let service = try flow(.notificationService)

        let notification = try #require(try await service.notification(for: try await push()))
        let challenge = try #require(
            Challenge.ID(notificationUserInfo: notification.userInfo))
        #expect(try await !app.isOver(challenge))

        let opened = try await app.authenticator.challenge(challenge)
        #expect(try await app.authenticator.resolve(opened, with: .approve) == .delivered)
        #expect(try await app.isOver(challenge))
    }

    @Test func `the extension's notification denies, and one that a push forged does not`()
        async throws
    {
        let app = try await enrolled()
        let service = try flow(.notificationService)
        let login = try await am.startLogin(of: "jane", asking: .confirm)
        let push = try PushMessage(json: try #require(await am.takePushes().first).payload)
        let notification = try #require(try await service.notification(for: push))

        var forged: [AnyHashable: Any] = notification.userInfo
        forged["push-auth.seal"] = nil
        let stranger = try #require(NotificationResponse(userInfo: forged, action: .deny))
        #expect(try await app.denied(stranger) == false)
        #expect(try await am.status(of: login.id) == .waiting)

        let genuine = try #require(
            NotificationResponse(userInfo: notification.userInfo, action: .deny))
        #expect(try await app.denied(genuine))
        #expect(try await am.status(of: login.id) == .denied)
    }

    @Test func `a push of the app's own is left to it`() async throws {
        let own = try PushMessage(json: Data(#"{"aps":{"alert":"Hello"}}"#.utf8))
        #expect(try await flow(.app).received(own) == false)
        #expect(try await flow(.notificationService).notification(for: own) == nil)
    }

    @Test func `an extension proves no user`() async {
        await #expect(throws: PushError.self) {
            try await NobodyThere().verify(
                VerificationRequest(
                    .manage(Enrollment.ID("x", of: "forgerock"), ""), alternatives: [[.presence]]))
        }
    }
}
