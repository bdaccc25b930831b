import Crypto
import Foundation
import HTTPTypes
import PushCore
import PushPowerAuth
import PushPowerAuthSimulator
import PushTesting
import Testing

/// Where the calls go, and what they say of themselves.
@Suite struct ServerFormTests {
    /// A phone whose bank has a server for each tree, each below a path of its own.
    private func parted(_ bank: Bank) async throws -> (PowerAuth, PushAuthenticator) {
        let simulator = bank.simulator
        let trees = [
            "activation.bank.example": "/enrollment-server/pa/",
            "operations.bank.example": "/mobile/token/api/",
        ]
        let transport = SimulatedTransport { request, body in
            guard let path = request.path, let tree = trees[request.authority ?? ""],
                path.hasPrefix(tree)
            else { return (HTTPResponse(status: .badGateway), Data()) }
            var inner = request
            inner.path =
                String(tree.hasSuffix("/pa/") ? "/pa/" : "/api/") + path.dropFirst(tree.count)
            return await simulator.respond(to: inner, body: body)
        }
        var configuration = try PowerAuthConfiguration(
            sdkConfiguration: await simulator.sdkConfiguration,
            enrollmentServer: Endpoint("https://activation.bank.example/enrollment-server"),
            operationServer: Endpoint("https://operations.bank.example/mobile/token/"))
        configuration.pinIterations = 10
        configuration.acceptLanguage = "cs-CZ, en;q=0.5"
        let environment = PushEnvironment(
            transport: transport, store: InMemoryStore(), verifier: Customer(),
            clock: ManualClock(Bank.start), random: DrawnBytes(seed: 5),
            device: Device(name: "Phone", platform: .android))
        let provider = PowerAuth(configuration: configuration, in: environment)
        var policies = PushConfiguration()
        policies.backoff.tries = 0
        policies.hintInterval = .zero
        let authenticator = PushAuthenticator(
            try PluginRegistry([provider]), in: environment, configuration: policies)
        return (provider, authenticator)
    }

    @Test func `each tree may have a server and a path of its own`() async throws {
        let bank = Bank()
        let (_, authenticator) = try await parted(bank)
        try await authenticator.deviceTokenChanged(.fcm("t"))
        let offers = try authenticator.offers(for: await bank.simulator.invitation(for: Bank.user))
        let id = try await authenticator.enroll(try #require(offers.first)).id
        #expect(try await bank.record(id).platform == "android")
        try await bank.simulator.commit(id.name)
        _ = try await authenticator.refresh(id)
        try await authenticator.resume()
        #expect(try await bank.record(id).deviceToken == .fcm("t"))
        let operation = try await bank.ask()
        _ = try await authenticator.pending(for: id)
        let challenge = try await authenticator.challenge(Challenge.ID(operation, of: id))
        // What a signature names isn't the path.
        #expect(try await authenticator.resolve(challenge, with: .approve) == .delivered)
    }

    @Test func `the server may be told which language the user reads`() async throws {
        let bank = Bank()
        let (_, authenticator) = try await parted(bank)
        let offers = try authenticator.offers(for: await bank.simulator.invitation(for: Bank.user))
        let id = try await authenticator.enroll(try #require(offers.first)).id
        try await bank.simulator.commit(id.name)
        _ = try await authenticator.refresh(id)
        _ = try await authenticator.pending(for: id)
        let list = try #require(await bank.requests(.list).last).request
        #expect(list.headerFields[.acceptLanguage] == "cs-CZ, en;q=0.5")
        #expect(list.headerFields[.contentType]?.hasPrefix("application/json") == true)
        #expect(list.headerFields[.accept] == "application/json")
    }

    @Test func `an app of another bank doesn't read this one's codes`() async throws {
        let bank = Bank()
        let other = Bank(seed: 2)
        let (phone, stranger) = (
            try await PowerAuthHarness(of: bank), try await PowerAuthHarness(of: other)
        )
        let id = try await phone.activated()
        _ = try await stranger.activated()
        let push = PushMessage(fcm: [
            "messageType": "mtoken.operationInit", "operationName": "login",
            "operationId": "7e0ba60f-bf22-4ff5-b999-2733784e5eaa",
            "activationId": id.name,
        ])
        let error = try await refusal { _ = try await stranger.authenticator.receive(push) }
        #expect(error.code == .unknownEnrollment)
    }

    @Test func `an application that the server gave up is refused without a lost attempt`()
        async throws
    {
        let bank = Bank()
        let phone = try await PowerAuthHarness(of: bank)
        let id = try await phone.activated()
        let operation = try await bank.ask()
        let challenge = try await phone.open(operation, at: id)
        await bank.configure { $0.applications[0].isSupported = false }
        // The server counts that as a wrong signature; nothing is tried twice.
        let outcome = try? await phone.authenticator.resolve(challenge, with: .approve)
        #expect(outcome != .delivered)
        #expect(await bank.count(.authorize) == 1)
        #expect(try await bank.record(id).failedAttempts <= 1)
    }

    @Test(arguments: [false, true])
    func `a server's point may come in either form`(_ isCompressed: Bool) async throws {
        let bank = Bank()
        let phone = try await PowerAuthHarness(of: bank)
        let made = try await bank.simulator.createActivation(for: Bank.user)
        let key = try await bank.simulator.serverKey(of: made.id)
        let point = isCompressed ? key.compressedRepresentation : key.x963Representation
        await bank.simulator.spoil(
            by: .replaced(
                member: "serverPublicKey", value: .string(point.base64EncodedString())),
            at: .activation)
        let id = try await phone.enroll(.scanned(text: made.text)).id
        try await bank.simulator.commit(id.name)
        #expect(try await phone.authenticator.refresh(id).state == .active)
        #expect(try await phone.approve(try await bank.ask(), at: id) == .delivered)
    }

    @Test func `a link to an operation that isn't the user's shows nothing`() async throws {
        let bank = Bank()
        let phone = try await PowerAuthHarness(of: bank)
        let id = try await phone.activated()
        _ = try await bank.simulator.createActivation(for: "somebody")
        let foreign = try await bank.simulator.createOperation(for: "somebody", .login).id
        for operation in [foreign, "7e0ba60f-bf22-4ff5-b999-2733784e5eaa"] {
            let link = "mtoken://login?oid=\(operation)&totp=12345678"
            let receptions = try? await phone.authenticator.receive(
                PushMessage(text: link, by: .link))
            #expect(receptions?.compactMap(\.newNotice).isEmpty ?? true)
            #expect(try await phone.ledger(operation, at: id) == nil)
        }
        #expect(await bank.count(.authorize) == 0)
    }
}
