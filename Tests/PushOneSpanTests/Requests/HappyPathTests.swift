import Crypto
import Foundation
import PushCore
import PushOneSpan
import PushOneSpanSimulator
import PushTesting
import Testing

/// The workflows of `docs/vendors/onespan.md#the-flow` when nothing goes wrong.
@Suite(.timeLimit(.minutes(10))) struct HappyPathTests {
    @Test func `an activation takes four round trips, and a registration one`() async throws {
        let site = Site()
        let handset = try await OneSpanHarness(site)
        let enrollment = try await handset.join()
        #expect(await site.server.types == [0x01, 0x03, 0x05, 0x07, 0x10])
        #expect(enrollment.state == .active)
        #expect(enrollment.account == Sample.user)
        #expect(try await site.activationStatus() == "activated")
        let device = try await handset.device()
        #expect(device.isActivated)
        #expect(device.id == enrollment.id.name)
        #expect(device.deviceToken == .fcm("token-a"))
    }

    @Test func `the user chooses a PIN before the first command leaves`() async throws {
        let site = Site()
        let user = ScriptedUser.typing()
        let gate = Gate(letsCancelledPass: true)
        await user.think(at: gate)
        let handset = try await OneSpanHarness(site, user: user)
        async let joining = handset.join()
        await gate.arrival()
        #expect(await site.server.types.isEmpty)
        await gate.open()
        _ = try await joining
        let requests = await user.requests
        #expect(requests.count == 1)
        #expect(requests.first?.alternatives == [[.newPIN]])
    }

    @Test func `without a device token an activation stays half done, and says so`()
        async throws
    {
        let site = Site()
        let handset = try await OneSpanHarness(site)
        let enrollment = try await handset.join(token: false)
        #expect(await site.server.types == [0x01, 0x03, 0x05, 0x07])
        #expect(enrollment.state == .pending(.deviceToken))
        #expect(try await site.activationStatus() == "pending")
        await #expect(throws: PushError.self) { _ = try await site.login() }

        try await handset.authenticator.deviceTokenChanged(.fcm("token-a"))
        #expect(await site.server.types == [0x01, 0x03, 0x05, 0x07, 0x10])
        #expect(try await handset.state == .active)
        #expect(try await site.activationStatus() == "activated")
    }

    @Test func `a login takes two round trips, and shows what the first brought`()
        async throws
    {
        let handset = try await OneSpanHarness.joined()
        let site = handset.site
        let request = try await site.login()
        let receptions = try await handset.receive()
        #expect(await site.server.types.isEmpty)
        guard case .notice(let notice, _) = try #require(receptions.first).kind else {
            Issue.record("A genuine command announces a request.")
            return
        }
        #expect(notice.proof == .mac)
        #expect(notice.id.name == request)
        #expect(notice.title == nil && notice.body == nil)

        let challenge = try await handset.authenticator.challenge(notice.id)
        #expect(await site.server.types == [0x21])
        #expect(challenge.prompt == .approve)
        #expect(challenge.fields.map(\.value).contains("Sign in to Example Bank"))
        #expect(challenge.expiry != nil)
        let details = try #require(challenge.details(as: OneSpanRequest.self))
        #expect(details.kind == .authentication)
        #expect(details.content == .text("Sign in to Example Bank"))
        #expect(details.method == .none)

        #expect(
            try await handset.authenticator.resolve(challenge, with: .approve) == .delivered)
        #expect(await site.server.types == [0x21, 0x23])
        #expect(await site.status(request) == .accepted)
        let decision = try #require(await site.decision(request))
        #expect(decision.isApproved && decision.method == .none)
        #expect(decision.device == notice.id.enrollment.name)
    }

    @Test func `a transaction is shown whole, and its PIN is asked for after the yes`()
        async throws
    {
        let handset = try await OneSpanHarness.joined()
        let site = handset.site
        let request = try await site.transaction()
        let challenge = try await handset.open(request)
        #expect(await site.server.types == [0x31])
        #expect(
            challenge.fields == [
                .init("Amount", "100.00 EUR"), .init("To", "DE89370400440532013000"),
            ])
        #expect(await handset.user.answerRequests.isEmpty)
        #expect(
            try await handset.authenticator.resolve(challenge, with: .approve) == .delivered)
        #expect(await handset.user.answerRequests.map(\.alternatives) == [[[.pin]]])
        #expect(await site.server.types == [0x31, 0x33])
        #expect(await site.decision(request)?.method == .password)
    }

    @Test func `what was shown is what the answer binds`() async throws {
        let handset = try await OneSpanHarness.joined()
        let request = try await handset.site.transaction()
        _ = try await handset.approve(request)
        var shown: [UInt8] = [1, 2]
        for text in ["Amount", "100.00 EUR", "To", "DE89370400440532013000"] {
            shown += [0, UInt8(text.utf8.count)] + Array(text.utf8)
        }
        let digest = Data(SHA256.hash(data: shown))
        #expect(await handset.site.decision(request)?.displayDigest == digest)
    }

    @Test func `biometry is used where it is asked for, with the PIN beside it`() async throws {
        var setup = OneSpanHarness.Setup()
        setup.hasBiometry = true
        let site = Site()
        let user = ScriptedUser.typing()
        await user.prefer(biometry: true)
        let handset = try await OneSpanHarness(site, user: user, setup: setup)
        try await handset.join()
        #expect(try await handset.device().hasBiometry)
        for (prefersBiometry, method) in [
            (true, OneSpanSimulator.AuthenticationMethod.biometric), (false, .password),
        ] {
            await user.prefer(biometry: prefersBiometry)
            let request = try await site.tenant.startLogin(
                of: Sample.user, asking: .biometry
            ).id
            #expect(try await handset.approve(request) == .delivered)
            #expect(await site.decision(request)?.method == method)
        }
        #expect(
            await user.answerRequests.first?.alternatives == [[.biometry], [.pin]])
    }

    @Test(arguments: [false, true])
    func `without biometry on the device the PIN stands in for it`(
        prefersBiometry: Bool
    ) async throws {
        let handset = try await OneSpanHarness.joined()
        await handset.user.prefer(biometry: prefersBiometry)
        let request = try await handset.site.tenant.startLogin(
            of: Sample.user, asking: .biometry
        ).id
        #expect(try await handset.approve(request) == .delivered)
        #expect(await handset.site.decision(request)?.method == .password)
        let asked = await handset.user.answerRequests.map(\.alternatives)
        #expect(asked == [[[.pin]]])
    }

    @Test(arguments: [false, true])
    func `a no is a success, and needs no proof of the user`(isTransaction: Bool) async throws {
        let handset = try await OneSpanHarness.joined()
        let site = handset.site
        let request =
            isTransaction ? try await site.transaction() : try await site.pinLogin()
        #expect(try await handset.deny(request) == .delivered)
        #expect(await site.status(request) == .refused)
        #expect(
            await site.decision(request)?.method == OneSpanSimulator.AuthenticationMethod.none)
        #expect(await handset.user.answerRequests.isEmpty)
        #expect(
            try await handset.record(request) == .answered(.deny(.unexpected), .delivered))
    }

    @Test func `a login that shows nothing still waits for a decision`() async throws {
        let site = Site { $0.loginDisplay = .none }
        let handset = try await OneSpanHarness.joined(site)
        let request = try await site.login()
        let challenge = try await handset.open(request)
        #expect(challenge.prompt == .approve)
        #expect(await site.server.types == [0x21])
        #expect(await site.status(request) == .pending)
        #expect(
            try await handset.authenticator.resolve(challenge, with: .approve) == .delivered)
        #expect(
            await site.decision(request)?.displayDigest == Data(SHA256.hash(data: [0])))
    }

    @Test(arguments: OneSpanSimulator.CommandService.allCases)
    func `both of the platform's services do`(
        service: OneSpanSimulator.CommandService
    ) async throws {
        let site = Site {
            $0.commandService = service
            $0.commandPath = "/bank/app/orchestration"
        }
        let handset = try await OneSpanHarness.joined(site)
        let request = try await site.pinLogin()
        #expect(try await handset.approve(request) == .delivered)
    }

    @Test func `a command comes by any way: relayed, scanned, in lower case`() async throws {
        let handset = try await OneSpanHarness.joined()
        let site = handset.site
        for channel in [PushMessage.Channel.scanned, .relayed] {
            let reply = try await site.call(
                "/v1/users/alice@example-domain/login",
                [
                    "objectType": "LoginInput", "timeout": 0,
                    "credentials": ["passKey": "PIN"],
                    "orchestrationDelivery": ["requestMessage"],
                ])
            let request = try #require(reply.body?["requestID"]?.string)
            let text = try #require(reply.body?["requestMessage"]?.string)
            let message = PushMessage(
                text: channel == .scanned ? text.lowercased() : text, by: channel)
            #expect(try await handset.pushes().isEmpty)
            #expect(try await handset.authenticator.receive(message).map(\.isNew) == [true])
            let challenge = try await handset.authenticator.challenge(handset.id(request))
            #expect(
                try await handset.authenticator.resolve(challenge, with: .approve)
                    == .delivered)
            #expect(await site.status(request) == .accepted)
        }
    }

    @Test func `users with upper case in their domain are found`() async throws {
        var setup = OneSpanHarness.Setup()
        setup.domain = "EXAMPLE-Domain"
        let handset = try await OneSpanHarness.joined(setup: setup)
        #expect(try await handset.state == .active)
    }

    @Test func `two users of one device each have their own PIN and registration`()
        async throws
    {
        let site = Site()
        let handset = try await OneSpanHarness.joined(site)
        await handset.user.type("864209")
        try await handset.join(Sample.otherUser)
        #expect(await site.server.types == [0x01, 0x03, 0x05, 0x07, 0x10])
        let enrollments = try await handset.authenticator.enrollments()
        #expect(Set(enrollments.compactMap(\.account)) == ["alice", "bob"])
        for (name, pin) in [("bob", "864209"), ("alice", Sample.pin)] {
            await handset.user.type(pin)
            let request = try await site.pinLogin(of: name)
            let reception = try #require(try await handset.receive().first?.challenge)
            let challenge = try await handset.authenticator.challenge(reception)
            #expect(
                try await handset.authenticator.resolve(challenge, with: .approve)
                    == .delivered)
            #expect(await site.status(request) == .accepted)
        }
    }
}
