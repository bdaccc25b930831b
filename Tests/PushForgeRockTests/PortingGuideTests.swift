import Foundation
import PushCore
import PushForgeRock
import PushTesting
import Testing

/// The code of `docs/guides/porting-forgerock.md`, as an app would have it.
@Suite struct PortingGuideTests {
    // snippet: answer
    /// What the app did by `FRAPushHandler.shared` and closures.
    func answer(
        _ userInfo: [AnyHashable: Any], with handler: FRAPushHandler, number: String
    ) async throws(PushError) -> Outcome? {
        guard
            let notification = try await handler.application(
                didReceiveRemoteNotification: userInfo)
        else { return nil }
        switch notification.pushType {
        case .challenge?: return try await notification.accept(challengeResponse: number)
        case .biometric?:
            return try await notification.accept(title: "Log in", allowDeviceCredentials: false)
        case .default?: return try await notification.accept()
        case nil: return try await notification.deny()
        }
    }
    // end snippet

    /// Takes the old SDK's records over, and says whether its store may go.
    func moveIn(
        _ records: [VendorRecord], to provider: ForgeRock, token: DeviceToken?
    ) async -> Bool {
        let report = await provider.importEnrollments(from: records, deviceToken: token)
        return report.isComplete
    }

    @Test func `after the guide's move the guide's handler answers the next push`() async throws {
        let harness = try ForgeRockHarness()
        let record = try StoredRecords()("legacy-push")
        #expect(await moveIn([record], to: harness.provider, token: nil))
        let push = AMPush.challenge()
        let userInfo: [AnyHashable: Any] = [
            "aps": ["messageId": push.messageID, "data": push.token] as [String: any Sendable]
        ]
        #expect(try await answer(userInfo, with: harness.handler, number: "42") == .delivered)
        #expect(try await harness.lastPost().claims["challengeResponse"] == "42")
    }

    @Test func `the vendor's client enrolls, lists and makes codes`() async throws {
        let harness = try ForgeRockHarness()
        try await harness.authenticator.deviceTokenChanged(.apns(hex: "00FF", isSandbox: false))
        let client = FRAClient(harness.authenticator, harness.provider)
        let uri = try #require(URL(string: EnrollmentCode.combined().text))
        let mechanism = try await client.createMechanismFromUri(uri: uri)
        #expect(mechanism.mechanismUUID == WorkedExample.mechanism)
        #expect(mechanism.identifier == "Example Bank-jane.doe@example.com-push")
        let account = try #require(try await client.getAllAccounts().first)
        #expect(account.mechanisms.map(\.type) == ["push", "totp"])
        #expect(!account.isLocked)
        let codes = try #require(account.mechanisms.last as? TOTPMechanism)
        harness.clock.set(Date(timeIntervalSince1970: 1_760_000_000))
        let code = try await codes.generateCode()
        #expect(code.code == "114091")
        #expect(code.until == Date(timeIntervalSince1970: 1_760_000_010))
        let notification = try await harness.notification(AMPush())
        #expect(notification.messageId == WorkedExample.messageID)
        #expect(notification.identifier == "\(WorkedExample.mechanism)-1760000300000")
        let found = try await client.getNotification(identifier: notification.identifier)
        #expect(found?.id == notification.id)
        let push = try #require(try await client.getMechanism(notification: notification))
        #expect(try await push.pendingNotifications.map(\.id) == [notification.id])
        try await client.removeAccount(account: account)
        #expect(try await client.getAllAccounts().isEmpty)
    }

    @Test func `a failed registration tells whom no push reaches, and sends nothing`()
        async throws
    {
        let harness = try ForgeRockHarness()
        _ = await harness.provider.importEnrollments(from: [try StoredRecords()("legacy-push")])
        let unreached = try await harness.handler.application(
            didFailToRegisterForRemoteNotificationsWithError: PushError(.cancelled, "No."))
        #expect(unreached[harness.enrollmentID]?.code == .missingDeviceToken)
        #expect(try await harness.handler.deviceToken == nil)
        #expect(await harness.transport.exchanges.isEmpty)
    }

    @Test func `the vendor's words update a device token`() async throws {
        let harness = try await ForgeRockHarness.enrolled()
        #expect(
            try await harness.handler.updateDeviceToken(deviceToken: WorkedExample.newToken)
                .isEmpty)
        #expect(try await harness.handler.deviceToken == WorkedExample.newToken)
        #expect(try await harness.lastPost().claims["deviceId"] == .string(WorkedExample.newToken))
    }

    /// What a pair of closures was called with; `nil` for success.
    @MainActor
    private func called(
        _ body:
            @MainActor (
                _ onSuccess: @escaping () -> Void, _ onFailure: @escaping (any Error) -> Void
            ) -> Void
    ) async -> (any Error)? {
        let (stream, continuation) = AsyncStream.makeStream(of: (any Error)?.self)
        body({ continuation.yield(nil) }, { continuation.yield($0) })
        for await result in stream { return result }
        return nil
    }

    @Test func `the closures of a device token are called once AM has said what it did`()
        async throws
    {
        let harness = try await ForgeRockHarness.enrolled()
        let handler = harness.handler
        let all = await called { onSuccess, onFailure in
            handler.updateDeviceToken(
                deviceToken: WorkedExample.newToken, onSuccess: onSuccess, onFailure: onFailure)
        }
        #expect(all == nil)
        #expect(try await harness.lastPost().claims["deviceId"] == .string(WorkedExample.newToken))
        let client = FRAClient(harness.authenticator, harness.provider)
        let mechanism = try #require(
            try await client.getAllAccounts().first?.mechanisms.first as? PushMechanism)
        let one = await called { onSuccess, onFailure in
            handler.updateDeviceToken(
                mechanism: mechanism, deviceToken: WorkedExample.token, onSuccess: onSuccess,
                onFailure: onFailure)
        }
        #expect(one == nil)
        #expect(try await harness.lastPost().claims["deviceId"] == .string(WorkedExample.token))
        let none = await called { onSuccess, onFailure in
            handler.updateDeviceToken(
                mechanism: mechanism, deviceToken: "no digits", onSuccess: onSuccess,
                onFailure: onFailure)
        }
        #expect((none as? PushError)?.code == .invalidArgument)
        let nothing = await called { onSuccess, onFailure in
            handler.updateDeviceToken(
                deviceToken: "no digits", onSuccess: onSuccess, onFailure: onFailure)
        }
        #expect((nothing as? PushError)?.code == .invalidArgument)
        let before = try await harness.posts().count
        try await handler.clearDeviceToken()
        #expect(try await harness.posts().count == before)
    }

    @Test func `the closures of a scan get the mechanism, or why there is none`() async throws {
        let harness = try ForgeRockHarness()
        try await harness.authenticator.deviceTokenChanged(.apns(hex: "00FF", isSandbox: false))
        let client = FRAClient(harness.authenticator, harness.provider)
        let uri = try #require(URL(string: EnrollmentCode().text))
        let (names, continuation) = AsyncStream.makeStream(of: String.self)
        let first = await called { onSuccess, onFailure in
            client.createMechanismFromUri(
                uri: uri,
                onSuccess: { mechanism in
                    continuation.yield(mechanism.mechanismUUID)
                    onSuccess()
                }, onError: onFailure)
        }
        continuation.finish()
        #expect(first == nil)
        #expect(await names.reduce(into: []) { $0.append($1) } == [WorkedExample.mechanism])
        let again = await called { onSuccess, onFailure in
            client.createMechanismFromUri(
                uri: uri, onSuccess: { _ in onSuccess() }, onError: onFailure)
        }
        #expect((again as? PushError)?.code == .alreadyEnrolled)
    }
}
