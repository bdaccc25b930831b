import Foundation
import HTTPTypes
import PushCore
import PushPowerAuth
import PushPowerAuthSimulator
import PushTesting
import Testing

/// What the user sees, proximity codes, and the history: `docs/vendors/powerauth.md#operations`.
@Suite struct ScreenTests: ServedSuite {
    let served: Served

    init() async throws { served = try await Served() }

    // MARK: Screens

    @Test(arguments: [nil, true, false])
    func `what a call blocks is approved only if there is none`(
        _ isOnCall: Bool?
    ) async throws {
        let operation = try await bank.ask { $0.ui["blockApprovalOnCall"] = true }
        let challenge = try await phone.open(operation, at: id)
        let approval = PowerAuthApproval(isOnCall: isOnCall)
        let outcome = try? await phone.authenticator.resolve(
            challenge, with: .approve, extras: approval)
        #expect((outcome == .delivered) == (isOnCall == false))
        #expect(await bank.count(.authorize) == (isOnCall == false ? 1 : 0))
        if isOnCall != false {
            #expect(
                try await phone.authenticator.resolve(challenge, with: .deny(.unexpected))
                    == .delivered)
        }
    }

    @Test func `the app reads all that the vendor documents`() async throws {
        let operation = try await bank.ask { template in
            template.attributes.append(.init("h", "Heading", .heading(level: 2)))
            template.resultTexts = ["success": "Done.", "reject": "Not done."]
            template.ui["flipButtons"] = true
            template.preApprovalScreen = .init("WARNING", heading: "H", message: "M")
            template.postApprovalScreen = [
                "type": "MERCHANT_REDIRECT", "heading": "H", "message": "M",
                "payload": [
                    "redirectText": "Back", "redirectUrl": "https://shop.example", "countdown": 5,
                ],
            ]
        }
        let challenge = try await phone.open(operation, at: id)
        let read = try #require(challenge.details(as: PowerAuthOperation.self))
        #expect(read.id == operation)
        #expect(read.name == "authorize_payment")
        #expect(read.status == .pending)
        #expect(read.operationCreated == Bank.start)
        #expect(read.operationExpires == Bank.start + 300)
        #expect(read.formData.attributes.map(\.id) == ["amount", "account", "note", "h"])
        #expect(read.formData.resultTexts?.success == "Done.")
        #expect(read.ui.flipButtons)
        #expect(read.ui.preApprovalScreen?.type == .warning)
        guard case .merchantRedirect(let redirect)? = read.ui.postApprovalScreen?.content else {
            Issue.record("It has no screen for afterwards.")
            return
        }
        #expect(redirect.countdown == 5)
        #expect(challenge.fields.contains { $0.value == "100 CZK (100.00 CZK)" })
        #expect(challenge.prompt == .approve)
        // The title and the message are a field, so they aren't shown a second time.
        #expect(challenge.shown == challenge.fields)
        #expect(challenge.shown.first == .init("H", "M"))
    }

    @Test(arguments: [
        PowerAuthSimulator.Attribute("x", "New", .other(type: "HOLOGRAM", ["z": 1])),
        .init("bad", "Amount", .other(type: "AMOUNT", ["currency": 5])),
    ])
    func `an operation with a part that can't be shown can be rejected, and nothing else`(
        _ attribute: PowerAuthSimulator.Attribute
    ) async throws {
        let operation = try await bank.ask { $0.attributes.append(attribute) }
        let challenge = try await phone.open(operation, at: id)
        #expect(isDenyOnly(challenge))
        #expect(challenge.fields.contains { $0.value == "100 CZK (100.00 CZK)" })
        #expect(challenge.fields.contains { $0.label == attribute.label })
        await #expect(throws: PushError.self) {
            _ = try await phone.authenticator.resolve(challenge, with: .approve)
        }
        #expect(await bank.count(.authorize) == 0)
        #expect(
            try await phone.authenticator.resolve(challenge, with: .deny(.unexpected))
                == .delivered)
    }

    @Test func `a missing state is read as pending`() async throws {
        let operation = try await bank.ask { $0.replacedMembers["status"] = .null }
        #expect(try await phone.approve(operation, at: id) == .delivered)
    }

    // MARK: Proximity

    @Test(
        arguments: [
            PowerAuthSimulator.ProximityForm.query, .olderQuery, .token,
        ], [PushMessage.Channel.link, .scanned])
    func `a scanned code claims the operation and proves nearness`(
        _ form: PowerAuthSimulator.ProximityForm, _ channel: PushMessage.Channel
    ) async throws {
        let operation = try await bank.simulator.createOperation(for: nil, near).id
        let link = try await bank.simulator.proximityLink(of: operation, as: form)
        let receptions = try await phone.authenticator.receive(
            PushMessage(text: link, by: channel))
        #expect(receptions.compactMap(\.newNotice).map(\.id.name) == [operation])
        #expect(try await bank.simulator.operation(operation).user == Bank.user)
        let challenge = try await phone.authenticator.challenge(Challenge.ID(operation, of: id))
        phone.pass(7)
        let outcome = try await phone.authenticator.resolve(challenge, with: .approve)
        #expect(outcome == .delivered)
        let check = try #require(try await bank.sent(.authorize)["proximityCheck"])
        #expect(check["type"]?.string == (channel == .link ? "DEEPLINK" : "QR_CODE"))
        let times = ["timestampReceived", "timestampSent"].compactMap { check[$0]?.string }
        #expect(times.count == 2)
        for time in times {
            #expect(time.wholeMatch(of: #/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/#) != nil)
        }
        let received = try #require(try? Date(times[0], strategy: .iso8601))
        let sent = try #require(try? Date(times[1], strategy: .iso8601))
        #expect(abs(sent.timeIntervalSince(received) - 7) <= 1)
    }

    private var near: Bank.Template {
        var template = Bank.Template.payment
        template.needsProximity = true
        return template
    }

    @Test func `without the code from the screen nothing is approved`() async throws {
        let operation = try await bank.simulator.createOperation(for: Bank.user, near).id
        let challenge = try await phone.open(operation, at: id)
        await #expect(throws: PushError.self) {
            _ = try await phone.authenticator.resolve(challenge, with: .approve)
        }
        #expect(await bank.count(.authorize) == 0)
    }

    @Test func `a code that is too old isn't taken, and burns no attempt`() async throws {
        let operation = try await bank.simulator.createOperation(for: Bank.user, near).id
        let link = try await bank.simulator.proximityLink(of: operation)
        _ = try await phone.authenticator.receive(PushMessage(text: link, by: .scanned))
        let challenge = try await phone.authenticator.challenge(Challenge.ID(operation, of: id))
        phone.pass(90)
        let outcome = try? await phone.authenticator.resolve(challenge, with: .approve)
        #expect(outcome != .delivered)
        #expect(outcome?.refusal?.attemptsLeft ?? 5 == 5)
        #expect(try await bank.record(id).failedAttempts == 0)
    }

    @Test func `the code is in no description, outlives a restart, and is gone once it was used`()
        async throws
    {
        let operation = try await bank.simulator.createOperation(for: Bank.user, near).id
        let link = try await bank.simulator.proximityLink(of: operation)
        let otp = try await bank.simulator.proximityPassword(of: operation)
        let scanned = PushMessage(text: link, by: .scanned)
        _ = try await phone.authenticator.receive(scanned)
        let again = try await phone.restarted()
        let announcement = try await again.authenticator.announcement(
            of: Challenge.ID(operation, of: id))
        #expect(!"\(announcement)".contains(otp))
        #expect(!String(reflecting: announcement).contains(otp))
        func isOnDisk() async throws -> Bool {
            try await phone.disk.contents.values.contains {
                String(decoding: $0, as: UTF8.self).contains(otp)
            }
        }
        #expect(try await isOnDisk())
        let challenge = try await again.authenticator.challenge(Challenge.ID(operation, of: id))
        #expect(try await again.authenticator.resolve(challenge, with: .approve) == .delivered)
        #expect(try await !isOnDisk())
    }

    @Test func `scanning again replaces the code`() async throws {
        let operation = try await bank.simulator.createOperation(for: Bank.user, near).id
        let name = Challenge.ID(operation, of: id)
        for step in 0..<2 {
            if step > 0 { phone.pass(90) }
            let link = try await bank.simulator.proximityLink(of: operation)
            _ = try await phone.authenticator.receive(PushMessage(text: link, by: .scanned))
        }
        let challenge = try await phone.authenticator.challenge(name)
        #expect(try await phone.authenticator.resolve(challenge, with: .approve) == .delivered)
    }

    // MARK: History

    @Test func `history takes two factors and tells what is over`() async throws {
        let approved = try await bank.ask()
        #expect(try await phone.approve(approved, at: id) == .delivered)
        let rejected = try await bank.ask(.login)
        _ = try await phone.authenticator.pending(for: id)
        _ = try await phone.authenticator.deny(Challenge.ID(rejected, of: id))
        _ = try await bank.ask()
        let history = try #require(phone.provider.history)
        let past = try await phone.authenticator.turn(of: id) { (account) throws(PushError) in
            try await history.history(of: account, evidence: [.pin(Secret(Customer.pin.utf8))])
        }
        #expect(Set(past.map(\.id.name)).isSuperset(of: [approved, rejected]))
        let header = try await bank.header("X-PowerAuth-Authorization", of: .history)
        #expect(header["pa_signature_type"] == "possession_knowledge")
        let details = past.compactMap { $0.details(as: PowerAuthOperation.self) }
        #expect(details.first { $0.id == approved }?.status == .approved)
        #expect(details.first { $0.id == rejected }?.status == .rejected)
    }

    @Test func `a wrong PIN tells no history, and counts`() async throws {
        let history = try #require(phone.provider.history)
        let error = try await refusal {
            _ = try await phone.authenticator.turn(of: id) { (account) throws(PushError) in
                try await history.history(
                    of: account, evidence: [.pin(Secret("0000".utf8))])
            }
        }
        guard case .notTaken(let refusal) = error.code else {
            Issue.record("It is \(error.code).")
            return
        }
        #expect(refusal.reason == .verification)
        #expect(refusal.attemptsLeft == 4)
        #expect(await bank.count(.history) == 1)
    }
}
