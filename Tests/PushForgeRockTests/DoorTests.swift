import Foundation
import HTTPTypes
import PushCore
import PushForgeRock
import PushTesting
import Testing

/// The vendor's names, over the same ledger as the uniform door:
/// `docs/vendors/forgerock.md#documented-names`.
@Suite struct DoorTests {
    private func userInfo(_ push: AMPush) -> [AnyHashable: Any] {
        [
            "aps": [
                "alert": "Login attempt", "sound": "default", "content-available": 1,
                "mutable-content": true, "messageId": push.messageID, "data": push.token,
            ] as [String: any Sendable]
        ]
    }

    // MARK: FRAPushHandler

    @Test func `the handler takes what Apple's system hands over`() async throws {
        let harness = try await ForgeRockHarness.enrolled()
        let notification = try #require(
            await harness.handler.application(didReceiveRemoteNotification: userInfo(.challenge())))
        #expect(notification.pushType == .challenge)
        #expect(notification.numbersChallengeArray == [17, 42, 86])
    }

    @Test func `the handler gives nothing for another sender's push`() async throws {
        let harness = try await ForgeRockHarness.enrolled()
        let foreign: [AnyHashable: Any] = ["aps": ["alert": "Hello"], "acme": 1]
        #expect(
            try await harness.handler.application(didReceiveRemoteNotification: foreign) == nil)
        #expect(try await harness.handler.application(didReceiveRemoteNotification: [:]) == nil)
    }

    @Test func `the handler throws for a push that can't be trusted`() async throws {
        let harness = try await ForgeRockHarness.enrolled()
        let forged = userInfo(AMPush().signed(by: randomBytes()))
        let error = try await refusal {
            _ = try await harness.handler.application(didReceiveRemoteNotification: forged)
        }
        #expect(error.code == .untrusted)
        #expect(try await harness.records().isEmpty)
    }

    @Test func `the handler finds a notification again, and no other`() async throws {
        let harness = try await ForgeRockHarness.enrolled()
        let notification = try await harness.notification(.challenge())
        let again = try await harness.handler.notification(notification.id)
        #expect(again.content == notification.content)
        let unknown = Challenge.ID("nothing", of: harness.enrollmentID)
        let error = try await refusal { _ = try await harness.handler.notification(unknown) }
        #expect(error.code == .notFound)
    }

    @Test func `the handler tells AM the token's bytes as upper-case digits`() async throws {
        let harness = try await ForgeRockHarness.enrolled()
        let failures = try await harness.handler.application(
            didRegisterForRemoteNotificationsWithDeviceToken: Data([0x00, 0x0f, 0xa0, 0xff]),
            isSandbox: true)
        #expect(failures.isEmpty)
        #expect(try await harness.lastPost().claims["deviceId"] == "000FA0FF")
        #expect(
            try await harness.authenticator.enrollment(harness.enrollmentID)?.deviceToken
                == .apns(hex: "000FA0FF", isSandbox: true))
    }

    @Test func `with two instances each handler has its own pushes`() async throws {
        let first = try await ForgeRockHarness.enrolled()
        let store = first.store
        let environment = PushEnvironment(
            transport: first.transport, store: store, verifier: first.verifier,
            clock: first.clock, random: RepeatingRandom(uuid: UUID().uuidString),
            device: Device(name: WorkedExample.deviceName))
        let second = ForgeRock(id: "forgerock/b", in: environment)
        let both = PushAuthenticator(
            try PluginRegistry([second, first.provider]), in: environment)
        let message = try AMPush().message()
        #expect(
            try await FRAPushHandler(both, provider: "forgerock/b").notification(from: message)
                == nil)
        let notification = try #require(
            await FRAPushHandler(both).notification(from: message))
        #expect(notification.id.enrollment == first.enrollmentID)
    }

    // MARK: PushNotification

    @Test func `a notification tells whether it was answered, not whether it is late`()
        async throws
    {
        let harness = try await ForgeRockHarness.enrolled()
        let notification = try await harness.notification(AMPush())
        harness.clock.set(WorkedExample.expiry + 1)
        #expect(notification.isExpired(at: harness.clock.now))
        #expect(try await notification.isPending)
        #expect(try await !notification.isApproved)
        #expect(try await !notification.isDenied)
        _ = try await notification.accept()
        #expect(try await !notification.isPending)
        #expect(try await notification.isApproved)
        #expect(try await !notification.isDenied)
        let denied = try await harness.notification(AMPush().about(randomBytes()))
        _ = try await denied.deny()
        #expect(try await !denied.isPending)
        #expect(try await !denied.isApproved)
        #expect(try await denied.isDenied)
    }

    @Test func `the wrong method for a type sends nothing`() async throws {
        let accepts:
            [(PushNotification.PushType, @Sendable (PushNotification) async throws -> Outcome)] = [
                (.default, { try await $0.accept() }),
                (.challenge, { try await $0.accept(challengeResponse: "42") }),
                (.biometric, { try await $0.accept(title: "x", allowDeviceCredentials: true) }),
            ]
        let harness = try await ForgeRockHarness.enrolled()
        for push in [AMPush(), .challenge(), .biometric] {
            let notification = try await harness.notification(push.about(randomBytes()))
            for (type, accept) in accepts where type != notification.pushType {
                let error = try await refusal { _ = try await accept(notification) }
                #expect(error.code == .invalidResolution)
            }
            #expect(try await notification.isPending)
        }
        #expect(try await harness.posts().isEmpty)
        #expect(await harness.verifier.requests.isEmpty)
    }

    @Test func `an answer by one door stands at the other`() async throws {
        let harness = try await ForgeRockHarness.enrolled()
        let notification = try await harness.notification(.challenge())
        let challenge = try await harness.authenticator.challenge(notification.id)
        _ = try await harness.authenticator.resolve(challenge, with: .choose("42"))
        #expect(try await notification.accept(challengeResponse: "42") == .delivered)
        await #expect(throws: PushError.self) { _ = try await notification.deny() }
        #expect(try await harness.posts().count == 1)
    }

    // MARK: The closures

    private enum Call: Sendable { case success, error(PushError) }

    /// What a method with closures calls back.
    @MainActor
    private func called(
        _ method:
            @MainActor (
                @escaping PushNotification.SuccessCallback, @escaping PushNotification.ErrorCallback
            ) -> Void
    ) async -> Call {
        await withCheckedContinuation { continuation in
            method(
                { continuation.resume(returning: .success) },
                { continuation.resume(returning: .error($0)) })
        }
    }

    private func expectSuccess(
        _ call: Call, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        guard case .success = call else {
            Issue.record("The answer was taken.", sourceLocation: sourceLocation)
            return
        }
    }

    private func error(_ call: Call) throws -> PushError {
        guard case .error(let error) = call else { throw NoError() }
        return error
    }

    private struct NoError: Error {}

    @Test func `each method with closures reports success`() async throws {
        let harness = try await ForgeRockHarness.enrolled()
        let plain = try await harness.notification(AMPush().about(randomBytes()))
        expectSuccess(await called { plain.accept(onSuccess: $0, onError: $1) })
        let challenge = try await harness.notification(.challenge().about(randomBytes()))
        expectSuccess(
            await called {
                challenge.accept(challengeResponse: "42", onSuccess: $0, onError: $1)
            })
        let biometric = try await harness.notification(.biometric.about(randomBytes()))
        expectSuccess(
            await called {
                biometric.accept(
                    title: "Unlock", allowDeviceCredentials: true, onSuccess: $0, onError: $1)
            })
        let denied = try await harness.notification(AMPush().about(randomBytes()))
        expectSuccess(await called { denied.deny(onSuccess: $0, onError: $1) })
        #expect(try await harness.posts().count == 4)
    }

    @Test func `a refused answer calls back with why`() async throws {
        let harness = try await ForgeRockHarness.enrolled()
        let notification = try await harness.notification(.challenge())
        await harness.server.reply(400)
        let refused = try error(
            await called {
                notification.accept(challengeResponse: "17", onSuccess: $0, onError: $1)
            })
        guard case .notTaken(let why) = refused.code else {
            Issue.record("400 isn't taken.")
            return
        }
        #expect(why.mayRetry)
        #expect(refused.provider == "forgerock")
        let wrong = try error(await called { notification.accept(onSuccess: $0, onError: $1) })
        #expect(wrong.code == .invalidResolution)
    }

    @Test func `a lost reply calls back with an interruption`() async throws {
        let harness = try await ForgeRockHarness.enrolled()
        let notification = try await harness.notification(AMPush())
        await harness.faults.next(.dropAfter)
        let lost = try error(await called { notification.deny(onSuccess: $0, onError: $1) })
        #expect(lost.code == .interrupted)
    }

    @Test func `an answer that comes too late for the app's taste calls back with over`()
        async throws
    {
        let harness = try await ForgeRockHarness.enrolled(at: "Thu, 09 Oct 2025 10:00:20 GMT")
        let id = try #require(
            await harness.authenticator.receive(AMPush().message()).first?.challenge)
        let notification = try await harness.handler.notification(id)
        let late = try error(await called { notification.accept(onSuccess: $0, onError: $1) })
        #expect(late.code == .over)
    }
}
