import Foundation
import PushCore
import PushPowerAuthSimulator
import PushTesting
import Testing

@testable import PushPowerAuth

@Suite struct ProximityTests {
    private static let near = PowerAuthSimulator.OperationTemplate.payment {
        $0.needsProximity = true
    }

    @Test(arguments: [
        PowerAuthSimulator.ProximityForm.query, .olderQuery, .token,
    ])
    func `a scanned code claims its operation, and goes along with the yes`(
        _ form: PowerAuthSimulator.ProximityForm
    ) async throws {
        let (phone, id) = try await PowerAuthHarness.active()
        let operation = try await phone.simulator.createOperation(for: nil, Self.near)
        let link = try await phone.simulator.proximityLink(of: operation.id, as: form)
        let otp = try await phone.simulator.proximityPassword(of: operation.id)
        let found = try await phone.authenticator.receive(
            PushMessage(text: link, by: .scanned))
        #expect(found.map(\.challenge) == [Challenge.ID(operation.id, of: id)])
        #expect(try await phone.simulator.operation(operation.id).user == Bank.user)
        let challenge = try await phone.authenticator.challenge(
            Challenge.ID(operation.id, of: id))
        #expect(challenge.prompt == .approve)
        phone.pass(4)
        #expect(try await phone.authenticator.resolve(challenge, with: .approve) == .delivered)
        let sent = try #require(try await phone.bodies(.authorize).first?["requestObject"])
        let check = try #require(sent["proximityCheck"]?.object)
        #expect(check["otp"]?.string == otp)
        #expect(check["type"] == "QR_CODE")
        let times = try ["timestampReceived", "timestampSent"].map {
            try #require(check[$0]?.string.flatMap(ServerDate.date))
        }
        #expect(times[1].timeIntervalSince(times[0]) == 4)
        #expect(check.count == 4)
    }

    @Test func `a link's code says that it came by one`() async throws {
        let (phone, id) = try await PowerAuthHarness.active()
        let operation = try await phone.simulator.createOperation(for: Bank.user, Self.near)
        let link = try await phone.simulator.proximityLink(of: operation.id)
        _ = try await phone.authenticator.receive(PushMessage(text: link, by: .link))
        let challenge = try await phone.authenticator.challenge(
            Challenge.ID(operation.id, of: id))
        _ = try await phone.authenticator.resolve(challenge, with: .approve)
        let sent = try await phone.bodies(.authorize).first?["requestObject"]
        #expect(sent?["proximityCheck"]?["type"] == "DEEPLINK")
    }

    @Test func `the times are the server's, whatever this device's clock says`() async throws {
        let phone = try await PowerAuthHarness(skew: -7200)
        let id = try await phone.activated()
        let operation = try await phone.simulator.createOperation(for: Bank.user, Self.near)
        let link = try await phone.simulator.proximityLink(of: operation.id)
        _ = try await phone.authenticator.receive(PushMessage(text: link, by: .link))
        let challenge = try await phone.authenticator.challenge(
            Challenge.ID(operation.id, of: id))
        #expect(try await phone.authenticator.resolve(challenge, with: .approve) == .delivered)
        let sent = try await phone.bodies(.authorize).first?["requestObject"]?["proximityCheck"]
        let time = try #require(sent?["timestampSent"]?.string.flatMap(ServerDate.date))
        #expect(abs(time.timeIntervalSince(phone.bank.clock.now)) < 5)
    }

    @Test func `without the code nothing is approved, until it is scanned`() async throws {
        let (phone, id) = try await PowerAuthHarness.active()
        let challenge = try await phone.opened(Self.near, at: id)
        #expect(challenge.prompt == .approve)
        let before = try await phone.record(id).counter
        let error = await #expect(throws: PushError.self) {
            try await phone.authenticator.resolve(challenge, with: .approve)
        }
        #expect(error?.code == .invalidResolution)
        #expect(error?.reason.contains("must be scanned") == true)
        #expect(await phone.calls(.authorize) == 0)
        #expect(try await phone.record(id).counter == before)
        // It was opened before the code came.
        let link = try await phone.simulator.proximityLink(of: challenge.id.name)
        _ = try await phone.authenticator.receive(PushMessage(text: link, by: .scanned))
        #expect(try await phone.authenticator.resolve(challenge, with: .approve) == .delivered)
    }

    @Test func `a code that the app has scanned itself approves what was opened without`()
        async throws
    {
        let (phone, id) = try await PowerAuthHarness.active()
        let challenge = try await phone.opened(Self.near, at: id)
        let otp = try await phone.simulator.proximityPassword(of: challenge.id.name)
        let check = PowerAuthProximityCheck(
            otp: Secret(otp.utf8), type: .qrCode, timestampReceived: phone.clock.now)
        #expect(
            try await phone.authenticator.resolve(
                challenge, with: .approve, extras: PowerAuthApproval(proximityCheck: check))
                == .delivered)
    }

    @Test func `without the code, a no is taken`() async throws {
        let (phone, id) = try await PowerAuthHarness.active()
        let challenge = try await phone.opened(Self.near, at: id)
        #expect(
            try await phone.authenticator.resolve(challenge, with: .deny(.ignore)) == .delivered)
    }

    @Test(arguments: [true, false])
    func `a wrong or outdated code isn't called a wrong PIN, and the next one serves`(
        _ isOutdated: Bool
    ) async throws {
        let (phone, id) = try await PowerAuthHarness.active()
        let operation = try await phone.simulator.createOperation(for: Bank.user, Self.near)
        let name = Challenge.ID(operation.id, of: id)
        let right = try await phone.simulator.proximityLink(of: operation.id)
        let link = isOutdated ? right : "mtoken://x?oid=\(operation.id)&totp=00000000"
        _ = try await phone.authenticator.receive(PushMessage(text: link, by: .scanned))
        let challenge = try await phone.authenticator.challenge(name)
        if isOutdated { phone.pass(90) }
        #expect(
            try await phone.authenticator.resolve(challenge, with: .approve)
                == .notTaken(.init(.other, mayRetry: true, status: 401)))
        #expect(try await phone.simulator.activation(id.name).failedAttempts == 0)
        // A code that was used doesn't serve again, nor for whoever still holds the challenge.
        #expect(try await phone.authenticator.challenge(name).prompt == .approve)
        #expect(
            await code { try await phone.authenticator.resolve(challenge, with: .approve) }
                == .invalidResolution)
        let next = try await phone.simulator.proximityLink(of: operation.id)
        _ = try await phone.authenticator.receive(PushMessage(text: next, by: .scanned))
        #expect(try await phone.authenticator.resolve(challenge, with: .approve) == .delivered)
    }

    @Test func `an app that has a code gives it with the yes`() async throws {
        let (phone, id) = try await PowerAuthHarness.active()
        let challenge = try await phone.opened(at: id)
        let check = PowerAuthProximityCheck(
            otp: Secret("12345678".utf8), type: .qrCode, timestampReceived: phone.clock.now)
        phone.pass(7)
        let outcome = try await phone.authenticator.resolve(
            challenge, with: .approve, extras: check)
        #expect(outcome == .delivered)
        let sent = try await phone.bodies(.authorize).first?["requestObject"]?["proximityCheck"]
        #expect(sent?["otp"] == "12345678")
        let times = try ["timestampReceived", "timestampSent"].map {
            try #require(sent?[$0]?.string.flatMap(ServerDate.date))
        }
        #expect(times[1].timeIntervalSince(times[0]) == 7)
    }

    @Test func `with several activations, a link takes nothing from anyone`() async throws {
        let (phone, first) = try await PowerAuthHarness.active()
        let second = try await phone.activated()
        let operation = try await phone.simulator.createOperation(for: nil, Self.near)
        let link = try await phone.simulator.proximityLink(of: operation.id)
        _ = try? await phone.authenticator.receive(PushMessage(text: link, by: .scanned))
        #expect(await phone.calls(.claim) == 0)
        #expect(try await phone.simulator.operation(operation.id).user == nil)
        #expect(first != second)
    }

    @Test func `a link for nobody says so`() async throws {
        let phone = try await PowerAuthHarness()
        let link = "mtoken://x?oid=7e0ba60f-bf22-4ff5-b999-2733784e5eaa&totp=2"
        let message = PushMessage(text: link, by: .link)
        #expect(phone.provider.candidate(in: message) != nil)
        #expect(
            await code { try await phone.authenticator.receive(message) } == .unknownEnrollment)
    }
}
