import Foundation
import HTTPTypes
import PushCore
import PushPowerAuth
import PushPowerAuthSimulator
import PushTesting
import Testing

/// `docs/vendors/powerauth.md#the-flow`, in each of its `#versions`.
@Suite struct FlowTests {
    private static let token = String(repeating: "0badcafe", count: 8)

    @Test(arguments: PowerAuthVersion.allCases)
    func `the page of the protocol runs from the code to the withdrawal`(
        _ version: PowerAuthVersion
    ) async throws {
        let bank = Bank()
        let phone = try await PowerAuthHarness(of: bank) { $0.version = version }
        try await phone.authenticator.deviceTokenChanged(.apns(hex: Self.token, isSandbox: true))

        let enrollment = try await phone.enroll()
        let id = enrollment.id
        let shown = try #require(try await bank.record(id).fingerprint)
        #expect(enrollment.state == .pending(.comparison(code: shown)))
        #expect(try await bank.record(id).state == .pendingCommit)

        try await bank.simulator.commit(id.name)
        #expect(try await phone.authenticator.refresh(id).state == .active)
        try await phone.authenticator.resume()
        #expect(
            try await bank.record(id).deviceToken
                == .apns(hex: Self.token.uppercased(), isSandbox: true))

        let operation = try await bank.ask()
        let receptions = try await phone.deliver()
        let notice = try #require(receptions.compactMap(\.newNotice).first)
        #expect(notice.id == Challenge.ID(operation, of: id))
        #expect(notice.proof == .fetched)

        let challenge = try await phone.authenticator.challenge(notice.id)
        let outcome = try await phone.authenticator.resolve(challenge, with: .approve)
        #expect(outcome == .delivered)
        #expect(try await bank.status(operation) == .approved)
        let header = try await bank.header("X-PowerAuth-Authorization", of: .authorize)
        #expect(header["pa_version"] == version.rawValue)
        #expect(header["pa_activation_id"] == id.name)
        #expect(header["pa_signature_type"] == "possession_knowledge")

        // The server's own word on the end comes after the fact, and changes nothing.
        try await phone.deliver()
        #expect(
            try await phone.ledger(operation, at: id) == .answered(.approve, .delivered))
    }

    @Test(arguments: PowerAuthVersion.allCases)
    func `a denial has a reason and needs the device alone`(
        _ version: PowerAuthVersion
    ) async throws {
        let bank = Bank()
        let phone = try await PowerAuthHarness(of: bank) { $0.version = version }
        let id = try await phone.activated()
        let operation = try await bank.ask()
        let challenge = try await phone.open(operation, at: id)
        let asked = await phone.customer.requests.count
        let outcome = try await phone.authenticator.resolve(challenge, with: .deny(.unexpected))
        #expect(outcome == .delivered)
        #expect(await phone.customer.requests.count == asked)
        #expect(try await bank.status(operation) == .rejected)
        #expect(try await bank.simulator.operation(operation).reason == "UNEXPECTED_OPERATION")
        let header = try await bank.header("X-PowerAuth-Authorization", of: .cancel)
        #expect(header["pa_signature_type"] == "possession")
        #expect(header["pa_version"] == version.rawValue)
    }

    /// Which members an envelope has in which version.
    @Test(arguments: [
        (PowerAuthVersion.v3_1, ["ephemeralPublicKey", "encryptedData", "mac", "nonce"]),
        (.v3_2, ["ephemeralPublicKey", "encryptedData", "mac", "nonce", "timestamp"]),
        (
            .v3_3,
            ["temporaryKeyId", "ephemeralPublicKey", "encryptedData", "mac", "nonce", "timestamp"]
        ),
    ])
    func `an envelope has its version's members and no other`(
        _ version: PowerAuthVersion, _ members: [String]
    ) async throws {
        let bank = Bank()
        let phone = try await PowerAuthHarness(of: bank) { $0.version = version }
        let id = try await phone.activated()
        _ = try await phone.authenticator.pending(for: id)
        for call in [Bank.Call.activation, .tokenCreation] {
            let body = try #require(await bank.requests(call).last).body
            let names = try JSON(parsing: body).object?.members.map(\.name)
            #expect(Set(names ?? []) == Set(members), "\(call)")
        }
        #expect(await bank.count(.keystore) == (version == .v3_3 ? 2 : 0))
    }

    /// Which header goes with which body.
    @Test func `what is encrypted says so unless it is signed`() async throws {
        let bank = Bank()
        let phone = try await PowerAuthHarness(of: bank)
        let id = try await phone.activated()
        _ = try await phone.authenticator.pending(for: id)

        let key = try await bank.header("X-PowerAuth-Encryption", of: .activation)
        #expect(Set(key.keys) == ["version", "application_key"])
        #expect(key["version"] == "3.3")
        let token = try #require(await bank.requests(.tokenCreation).last).request
        let names = token.headerFields.map(\.name.canonicalName)
        #expect(names.contains("x-powerauth-authorization"))
        #expect(!names.contains("x-powerauth-encryption"))
        for call in [Bank.Call.keystore, .status] {
            let request = try #require(await bank.requests(call).last).request
            #expect(
                request.headerFields.allSatisfy {
                    !$0.name.canonicalName.hasPrefix("x-powerauth")
                }, "\(call)")
        }
        #expect(
            await bank.simulator.exchanges.allSatisfy {
                $0.request.headerFields[.contentEncoding] == nil && $0.request.method == .post
            })
    }

    @Test func `another process on the same storage goes on where the first was`() async throws {
        let bank = Bank()
        let phone = try await PowerAuthHarness(of: bank)
        let id = try await phone.activated()
        #expect(try await phone.approve(try await bank.ask(), at: id) == .delivered)
        let again = try await phone.restarted()
        #expect(try await again.approve(try await bank.ask(), at: id) == .delivered)
        #expect(await bank.count(.tokenCreation) == 1)
        #expect(await bank.counters(of: id) == [0, 1, 2])
    }

    @Test func `an activation doesn't depend on the version it was made in`() async throws {
        let bank = Bank()
        let disk = Disk()
        let id = try await PowerAuthHarness(of: bank, disk: disk) { $0.version = .v3_1 }.activated()
        for version in PowerAuthVersion.allCases {
            let phone = try await PowerAuthHarness(of: bank, disk: disk) {
                $0.version = version
            }
            #expect(try await phone.approve(try await bank.ask(), at: id) == .delivered)
        }
    }
}

extension Reception {
    /// What it announces, if that is new.
    var newNotice: Notice? {
        guard isNew, case .notice(let notice, _) = kind else { return nil }
        return notice
    }

    /// What it says is over.
    var withdrawal: Withdrawal? {
        if case .over(let withdrawal) = kind { withdrawal } else { nil }
    }
}
