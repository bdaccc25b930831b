import Foundation
import HTTPTypes
import PushCore
import PushPowerAuth
import PushPowerAuthSimulator
import PushTesting
import Testing

/// Section 7: operations, as an app meets them.
@Suite struct SheetOperationTests {
    let bank = Bank()
    let phone: Mobile
    let id: Enrollment.ID

    init() async throws {
        phone = try await Mobile(of: bank, customer: Customer(finger: Customer.finger))
        id = try await phone.activated(token: .fcm("phone-1"))
        await phone.customer.prefer(finger: false)
        _ = await bank.simulator.takePushes()
    }

    private func isDenyOnly(_ challenge: Challenge) -> Bool {
        if case .denyOnly = challenge.prompt { true } else { false }
    }

    // MARK: 7.1 Factors

    @Test(arguments: [
        (PowerAuthSimulator.Approval.oneFactor, "possession"),
        (.twoFactors([.possessionKnowledge]), "possession_knowledge"),
        (.twoFactors([.possessionBiometry]), "possession_biometry"),
    ])
    func `an approval is signed with the factors that the operation wants`(
        _ approval: PowerAuthSimulator.Approval, _ type: String
    ) async throws {
        let operation = try await bank.ask { $0.approval = approval }
        #expect(try await phone.approve(operation, at: id) == .delivered)
        #expect(try await bank.status(operation) == .approved)
        let header = try await bank.header("X-PowerAuth-Authorization", of: .authorize)
        #expect(header["pa_signature_type"] == type)
    }

    @Test(arguments: [true, false])
    func `where both are allowed, the user chooses`(_ isFinger: Bool) async throws {
        await phone.customer.prefer(finger: isFinger)
        let operation = try await bank.ask()
        #expect(try await phone.approve(operation, at: id) == .delivered)
        let header = try await bank.header("X-PowerAuth-Authorization", of: .authorize)
        #expect(
            header["pa_signature_type"]
                == (isFinger ? "possession_biometry" : "possession_knowledge"))
    }

    @Test func `biometry is offered only where it's listed`() async throws {
        let operation = try await bank.ask { $0.approval = .twoFactors([.possessionKnowledge]) }
        let challenge = try await phone.open(operation, at: id)
        #expect(!challenge.verification.joined().contains(.biometry))
        await phone.customer.prefer(finger: true)
        #expect(
            try await phone.authenticator.resolve(challenge, with: .approve) == .delivered)
    }

    @Test func `a phone without biometry can't approve what wants it, and can reject it`()
        async throws
    {
        let plain = try await Mobile(of: bank, customer: Customer())
        let other = try await plain.activated()
        let operation = try await bank.ask { $0.approval = .twoFactors([.possessionBiometry]) }
        let challenge = try await plain.open(operation, at: other)
        #expect(isDenyOnly(challenge))
        await #expect(throws: PushError.self) {
            _ = try await plain.authenticator.resolve(challenge, with: .approve)
        }
        #expect(await bank.count(.authorize) == 0)
        #expect(
            try await plain.authenticator.resolve(challenge, with: .deny(.unexpected))
                == .delivered)
    }

    @Test(
        arguments: [
            ["type": "ECDSA", "variants": []], ["type": "2FA", "variants": []],
            ["type": "2FA", "variants": ["possession_retina"]],
        ] as [JSON])
    func `a signature that nobody here can make leaves a no`(_ type: JSON) async throws {
        let operation = try await bank.ask { $0.replacedMembers["allowedSignatureType"] = type }
        let challenge = try await phone.open(operation, at: id)
        #expect(isDenyOnly(challenge))
        #expect(
            try await phone.authenticator.resolve(challenge, with: .deny(.unexpected))
                == .delivered)
    }

    @Test func `an operation of a type nobody knows is skipped alone`() async throws {
        let unknown = try await bank.ask {
            $0.replacedMembers["allowedSignatureType"] = ["type": "5FA", "variants": []]
        }
        let broken = try await bank.ask { $0.replacedMembers["operationExpires"] = "soon" }
        let known = try await bank.ask()
        _ = try await phone.authenticator.pending(for: id)
        #expect(try await phone.ledger(known, at: id) == .open)
        #expect(try await phone.ledger(broken, at: id) == nil)
        // One that can be skipped may as well be one that can only be denied.
        if try await phone.ledger(unknown, at: id) != nil {
            let challenge = try await phone.open(unknown, at: id)
            #expect(isDenyOnly(challenge))
        }
    }

    @Test(arguments: [
        "A1*A100CZK*Q238400856/0300**D20190629*NUtility Bill Payment - 05/2019",
        "A1*A1EUR*NCafe\u{301} \\* \\\\ \"/\" \u{1F4B6} \u{2028}", "A0*T\u{E9}", "A0", "free text",
    ])
    func `data goes back byte for byte`(_ data: String) async throws {
        let operation = try await bank.ask { $0.data = data }
        #expect(try await phone.approve(operation, at: id) == .delivered)
        let sent = try await bank.sent(.authorize)
        #expect(Array(sent["data"]?.string?.utf8 ?? "".utf8) == Array(data.utf8))
        #expect(sent["id"] == .string(operation))
    }

    @Test func `a flag that the activation lacks is told, and nothing is burnt`() async throws {
        let operation = try await bank.ask { $0.requiredFlag = "ID" }
        let outcome = try? await phone.approve(operation, at: id)
        #expect(outcome != .delivered)
        #expect(outcome?.refusal?.why != .verification)
        #expect(try await bank.record(id).failedAttempts == 0)
        try await bank.simulator.setFlags(["ID"], of: id.name)
        #expect(try await bank.status(operation) == .pending)
    }

    @Test func `an activation that is still being verified can't approve`() async throws {
        try await bank.simulator.setFlags(["VERIFICATION_PENDING"], of: id.name)
        let operation = try await bank.ask()
        let outcome = try? await phone.approve(operation, at: id)
        #expect(outcome != .delivered)
        #expect(await bank.count(.authorize) == 1)
        #expect(try await bank.record(id).failedAttempts == 0)
        // The PIN was right: that isn't called wrong.
        #expect(outcome?.refusal?.attemptsLeft ?? 5 == 5)
    }

    // MARK: 7.2 Reasons

    @Test(arguments: [
        (PowerAuthRejectionReason.unknown, "UNKNOWN"), (.incorrectData, "INCORRECT_DATA"),
        (.unexpectedOperation, "UNEXPECTED_OPERATION"), (.preapproval, "PREAPPROVAL"),
        (.custom("My neighbour's idea"), "My neighbour's idea"),
    ])
    func `each reason is sent by its documented name`(
        _ reason: PowerAuthRejectionReason, _ text: String
    ) async throws {
        let operation = try await bank.ask()
        _ = try await phone.authenticator.pending(for: id)
        let outcome = try await phone.authenticator.deny(
            Challenge.ID(operation, of: id), reason.denyReason)
        #expect(outcome == .delivered)
        #expect(try await bank.sent(.cancel)["reason"] == .string(text))
    }

    @Test func `somebody else's doing is a no with a documented reason`() async throws {
        let operation = try await bank.ask()
        _ = try await phone.authenticator.pending(for: id)
        _ = try await phone.authenticator.deny(Challenge.ID(operation, of: id), .fraud)
        #expect(try await bank.sent(.cancel)["reason"] == "UNEXPECTED_OPERATION")
    }

    // MARK: 7.6 How it ends

    @Test(arguments: [
        (PowerAuthSimulator.OperationStatus.approved, Outcome.answeredElsewhere),
        (.canceled, .cancelled), (.expired, .expired), (.failed, .answeredElsewhere),
    ])
    func `an approval that comes too late hears how it ended`(
        _ end: PowerAuthSimulator.OperationStatus, _ expected: Outcome
    ) async throws {
        for resolution in [Resolution.approve, .deny(.unexpected)] {
            let operation = try await bank.ask()
            let challenge = try await phone.open(operation, at: id)
            switch end {
            case .approved: try await bank.simulator.approveElsewhere(operation)
            case .canceled: try await bank.simulator.cancelOperation(operation)
            case .expired: try await bank.simulator.expireOperation(operation)
            default: try await bank.simulator.failOperation(operation)
            }
            let outcome = try await phone.authenticator.resolve(challenge, with: resolution)
            if end == .failed {
                // What failed wasn't answered; the core has no word of its own for it.
                #expect(outcome != .delivered)
            } else {
                #expect(outcome == expected, "\(resolution)")
            }
            #expect(try await phone.ledger(operation, at: id) != .open)
        }
        #expect(try await bank.record(id).failedAttempts == 0)
    }

    @Test func `what is over elsewhere can't be opened`() async throws {
        let operation = try await bank.ask()
        _ = try await phone.deliver()
        try await bank.simulator.cancelOperation(operation, because: "NO_FUNDS")
        let error = try await refusal {
            _ = try await phone.authenticator.challenge(Challenge.ID(operation, of: id))
        }
        #expect(error.code == .over)
        let end = try #require(error.underlying as? PowerAuthOperationEnd)
        #expect(end.reason == .cancelled)
        #expect(end.status == .canceled)
        #expect(end.statusReason == "NO_FUNDS")
    }

    @Test func `an operation that ran out by the server's clock is over`() async throws {
        let operation = try await bank.ask { $0.lifetime = .seconds(30) }
        _ = try await phone.deliver()
        phone.pass(31)
        let error = try await refusal {
            _ = try await phone.authenticator.challenge(Challenge.ID(operation, of: id))
        }
        #expect(error.code == .over)
        #expect(await bank.count(.authorize) == 0)
    }

    @Test(arguments: [-3600.0, 3600.0])
    func `expiry is judged by the server's clock, not the phone's`(
        _ skew: TimeInterval
    ) async throws {
        let wrong = try await Mobile(of: bank, skew: skew)
        let other = try await wrong.activated()
        let operation = try await bank.ask { $0.lifetime = .seconds(60) }
        let found = try await wrong.authenticator.pending(for: other)
        guard case .notice(_, let validity)? = found.first?.kind else {
            Issue.record("It isn't announced.")
            return
        }
        #expect(validity == .valid)
        #expect(try await wrong.approve(operation, at: other) == .delivered)
    }

    @Test(arguments: [
        ("INVALID_REQUEST", 400), ("INVALID_APPLICATION", 400), ("ERROR_GENERIC", 500),
        ("REMOTE_COMMUNICATION_ERROR", 409), ("SOMETHING_NEW", 400),
    ])
    func `an error that says nothing of the operation ends nothing`(
        _ code: String, _ status: Int
    ) async throws {
        let operation = try await bank.ask()
        let challenge = try await phone.open(operation, at: id)
        await bank.simulator.spoil(by: .refusal(status: status, code: code), at: .authorize)
        _ = try? await phone.authenticator.resolve(challenge, with: .approve)
        #expect(try await bank.record(id).failedAttempts == 0)
        let again = try await phone.restarted()
        _ = try await again.authenticator.resume()
        if try await bank.status(operation) == .pending {
            _ = try? await again.approve(operation, at: id)
        }
        #expect(await bank.count(.authorize) <= 2)
        guard case .over? = try await again.ledger(operation, at: id) else { return }
        Issue.record("\(code) isn't an end.")
    }

    @Test(arguments: [
        ("OPERATION_ALREADY_FINISHED", 400), ("OPERATION_ALREADY_FAILED", 400),
        ("OPERATION_ALREADY_CANCELED", 400), ("OPERATION_EXPIRED", 400), ("OPERATION_FAILED", 401),
    ])
    func `no answer that refuses is taken for a delivery`(
        _ code: String, _ status: Int
    ) async throws {
        for (call, resolution) in [
            (Bank.Call.authorize, Resolution.approve), (.cancel, .deny(.unexpected)),
        ] {
            let operation = try await bank.ask()
            let challenge = try await phone.open(operation, at: id)
            await bank.simulator.spoil(by: .refusal(status: status, code: code), at: call)
            let outcome = try? await phone.authenticator.resolve(challenge, with: resolution)
            #expect(outcome != .delivered)
            #expect(try await bank.status(operation) == .pending)
        }
    }

    @Test func `too many wrong approvals make the operation fail`() async throws {
        let operation = try await bank.ask { $0.maximumFailures = 2 }
        await phone.customer.type("0000")
        _ = try await phone.approve(operation, at: id)
        _ = try? await phone.approve(operation, at: id)
        #expect(try await bank.status(operation) == .failed)
        await phone.customer.type(Customer.pin)
        let outcome = try? await phone.approve(operation, at: id)
        #expect(outcome != .delivered)
        #expect(try await phone.ledger(operation, at: id) != .open)
        #expect(try await bank.record(id).failedAttempts == 2)
    }

    // MARK: Lost replies

    @Test(arguments: [FaultPlan.Fault.dropAfter, .status(502), .truncate(3)])
    func `an approval whose reply was lost isn't sent again without the user`(
        _ fault: FaultPlan.Fault
    ) async throws {
        let operation = try await bank.ask()
        let challenge = try await phone.open(operation, at: id)
        await phone.fail(.authorize, fault)
        let outcome = try? await phone.authenticator.resolve(challenge, with: .approve)
        let arrived = await bank.count(.authorize)
        let again = try await phone.restarted()
        _ = try await again.authenticator.resume()
        #expect(await bank.count(.authorize) == arrived)
        let state = try await again.ledger(operation, at: id)
        #expect(state != .open, "\(String(describing: outcome))")
        if case .answered(_, .delivered)? = state {
            #expect(try await bank.status(operation) == .approved)
        }
    }

    @Test func `a rejection whose reply was lost is sent anew with a fresh signature`()
        async throws
    {
        let operation = try await bank.ask()
        let challenge = try await phone.open(operation, at: id)
        await phone.fail(.cancel, .dropBefore)
        _ = try? await phone.authenticator.resolve(challenge, with: .deny(.unexpected))
        let again = try await phone.restarted()
        again.clock.advance(by: .seconds(3))
        bank.clock.advance(by: .seconds(3))
        _ = try await again.authenticator.resume()
        #expect(try await bank.status(operation) == .rejected)
        let counters = await bank.counters(of: id)
        #expect(Set(counters).count == counters.count)
    }

    @Test func `a rejection that arrived isn't another's`() async throws {
        let operation = try await bank.ask()
        let challenge = try await phone.open(operation, at: id)
        await phone.fail(.cancel, .dropAfter)
        _ = try? await phone.authenticator.resolve(challenge, with: .deny(.unexpected))
        let again = try await phone.restarted()
        again.clock.advance(by: .seconds(3))
        bank.clock.advance(by: .seconds(3))
        _ = try await again.authenticator.resume()
        guard case .answered(_, let outcome)? = try await again.ledger(operation, at: id) else {
            Issue.record("It has no end.")
            return
        }
        #expect(outcome != .answeredElsewhere)
        #expect(outcome != .cancelled)
    }

    // MARK: 7.4 Screens

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
            template.attributes.append(.init("x", "New", .other(type: "HOLOGRAM", ["z": 1])))
            template.attributes.append(
                .init("bad", "Bad", .other(type: "AMOUNT", ["currency": 5])))
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
        #expect(read.formData.attributes.map(\.id) == ["amount", "account", "note", "h", "x"])
        #expect(read.formData.attributes.last?.content == .unknown(type: "HOLOGRAM"))
        #expect(read.formData.resultTexts?.success == "Done.")
        #expect(read.ui.flipButtons)
        #expect(read.ui.preApprovalScreen?.type == .warning)
        guard case .merchantRedirect(let redirect)? = read.ui.postApprovalScreen?.content else {
            Issue.record("It has no screen for afterwards.")
            return
        }
        #expect(redirect.countdown == 5)
        #expect(challenge.fields.contains { $0.value == "100.00 CZK" })
        #expect(challenge.prompt == .approve)
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

    @Test func `without the code from the screen there is only a no`() async throws {
        let operation = try await bank.simulator.createOperation(for: Bank.user, near).id
        let challenge = try await phone.open(operation, at: id)
        #expect(isDenyOnly(challenge))
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

    @Test func `the code is in no description and not on disk; scanning again replaces it`()
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
        for record in try await phone.disk.contents.values {
            #expect(!String(decoding: record, as: UTF8.self).contains(otp))
        }
        #expect(
            isDenyOnly(try await again.authenticator.challenge(Challenge.ID(operation, of: id))))
        _ = try await again.authenticator.receive(scanned)
        let challenge = try await again.authenticator.challenge(Challenge.ID(operation, of: id))
        #expect(try await again.authenticator.resolve(challenge, with: .approve) == .delivered)
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
        let past = try await phone.authenticator.turn(of: id) { () throws(PushError) in
            try await history.history(of: id, evidence: [.pin(Secret(Customer.pin.utf8))])
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
            _ = try await phone.authenticator.turn(of: id) { () throws(PushError) in
                try await history.history(of: id, evidence: [.pin(Secret("0000".utf8))])
            }
        }
        guard case .notTaken(let refusal) = error.code else {
            Issue.record("It is \(error.code).")
            return
        }
        #expect(refusal.why == .verification)
        #expect(refusal.attemptsLeft == 4)
        #expect(await bank.count(.history) == 1)
    }
}
