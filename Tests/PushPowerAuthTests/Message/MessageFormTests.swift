import Foundation
import HTTPTypes
import PushCore
import PushPowerAuth
import PushPowerAuthSimulator
import PushTesting
import Testing

/// What the pushes make an app do: `docs/vendors/powerauth.md#push-messages`. Each is a hint and no
/// more.
@Suite struct MessageFormTests {
    let bank = Bank()
    let phone: PowerAuthHarness
    let id: Enrollment.ID

    init() async throws {
        phone = try await PowerAuthHarness(of: bank)
        id = try await phone.activated(
            token: .apns(hex: String(repeating: "AA01", count: 16), isSandbox: false))
        _ = await bank.simulator.takePushes()
    }

    private func receive(_ json: String) async throws -> Receipt {
        try await phone.authenticator.receive(PushMessage(json: Data(json.utf8)))
    }

    private func receive(_ extras: [String: String]) async throws -> Receipt {
        try await phone.authenticator.receive(PushMessage(fcm: extras))
    }

    /// A push as the server would send it, made by anybody.
    private func finished(
        _ operation: String, _ result: String, at activation: String? = nil
    ) -> [String: String] {
        var extras = [
            "messageType": "mtoken.operationFinished", "operationId": operation,
            "operationName": "login", "mtokenOperationResult": result,
        ]
        extras["activationId"] = activation
        return extras
    }

    // MARK: mtoken.operationInit

    @Test(arguments: [true, false])
    func `a new operation is announced as the list tells it, named activation or not`(
        _ isNamed: Bool
    ) async throws {
        await bank.configure { $0.namesActivation = isNamed }
        let operation = try await bank.ask()
        let notice = try #require(try await phone.deliver().compactMap(\.newNotice).first)
        #expect(notice.id == Challenge.ID(operation, of: id))
        #expect(notice.title == "Confirm payment")
        #expect(notice.expiry == Bank.start + 300)
        #expect(await bank.count(.list) == 1)
    }

    @Test func `the alert of a push is not what is shown`() async throws {
        let operation = try await bank.ask(.login)
        let receptions = try await receive(
            """
            {"aps": {"alert": {"title": "You have won", "body": "Say yes"}},
             "messageType": "mtoken.operationInit", "operationId": "\(operation)",
             "operationName": "login"}
            """)
        let notice = try #require(receptions.compactMap(\.newNotice).first)
        #expect(notice.title == "Confirm login")
        #expect(notice.body?.contains("Say yes") != true)
    }

    @Test func `an operation that the server doesn't list is never shown`() async throws {
        let receptions = try await receive([
            "messageType": "mtoken.operationInit", "operationName": "login",
            "operationId": "7e0ba60f-bf22-4ff5-b999-2733784e5eaa", "activationId": id.name,
        ])
        #expect(receptions.compactMap(\.newNotice).isEmpty)
        #expect(try await phone.authenticator.records().isEmpty)
    }

    @Test func `a push approves nothing, whatever it holds`() async throws {
        let operation = try await bank.ask()
        _ = try await receive([
            "messageType": "mtoken.operationInit", "operationId": operation,
            "operationName": "login", "activationId": id.name, "approve": "true",
            "mtokenOperationResult": "authentication.success",
        ])
        #expect(try await phone.ledger(operation, at: id) == .open)
        #expect(await bank.count(.authorize) == 0)
        #expect(await bank.count(.cancel) == 0)
        #expect(try await bank.status(operation) == .pending)
    }

    @Test func `an operation comes once, by push, by push again, and by the list`() async throws {
        let template = Bank.Template.login
        _ = try await bank.simulator.createOperation(
            for: Bank.user, template, spoiledBy: .repeated)
        #expect(try await phone.deliver().compactMap(\.newNotice).count == 1)
        let found = try await phone.authenticator.pending(for: id)
        #expect(found.compactMap(\.newNotice).isEmpty)
        #expect(try await phone.authenticator.records().count == 1)
    }

    @Test func `a lost push is made up for by the list`() async throws {
        _ = try await bank.simulator.createOperation(for: Bank.user, .login, spoiledBy: .lost)
        #expect(try await phone.deliver().isEmpty)
        let found = try await phone.authenticator.pending(for: id)
        #expect(found.compactMap(\.newNotice).count == 1)
    }

    @Test func `an activation that isn't here is refused, and nothing is asked`() async throws {
        let sent = await bank.simulator.exchanges.count
        let error = try await refusal {
            _ = try await receive([
                "messageType": "mtoken.operationInit", "operationName": "login",
                "operationId": "7e0ba60f-bf22-4ff5-b999-2733784e5eaa",
                "activationId": "5b753d0d-d59a-49b7-bec4-eae258566dbb",
            ])
        }
        #expect(error.code == .unknownEnrollment)
        #expect(await bank.simulator.exchanges.count == sent)
    }

    @Test func `identifiers are compared exactly`() async throws {
        let error = try await refusal {
            _ = try await receive([
                "messageType": "mtoken.statusChange", "activationId": id.name.uppercased(),
            ])
        }
        #expect(error.code == .unknownEnrollment)
    }

    // MARK: mtoken.operationFinished

    @Test(arguments: PowerAuthSimulator.OperationResult.allCases)
    func `each documented end withdraws what was announced`(
        _ result: PowerAuthSimulator.OperationResult
    ) async throws {
        let operation = try await bank.ask()
        _ = try await phone.deliver()
        #expect(try await phone.ledger(operation, at: id) == .open)
        switch result {
        case .success: try await bank.simulator.approveElsewhere(operation)
        case .timeout: try await bank.simulator.expireOperation(operation)
        case .canceled: try await bank.simulator.cancelOperation(operation)
        default: try await bank.simulator.failOperation(operation, announcing: result)
        }
        let withdrawal = try #require(
            try await phone.deliver().compactMap(\.withdrawal).first)
        #expect(withdrawal.id == Challenge.ID(operation, of: id))
        if result == .timeout { #expect(withdrawal.reason == .expired) }
        #expect(try await phone.ledger(operation, at: id) == .over(withdrawal))
    }

    @Test func `an end with a result nobody knows is still an end`() async throws {
        let operation = try await bank.ask()
        _ = try await phone.deliver()
        try await bank.simulator.cancelOperation(operation)
        _ = await bank.simulator.takePushes()
        let receptions = try await receive(finished(operation, "operation.eaten", at: id.name))
        #expect(receptions.compactMap(\.withdrawal).map(\.id.name) == [operation])
    }

    @Test(arguments: ["authentication.success", "operation.canceled", "anything"])
    func `an end that anybody pushed ends nothing that still waits`(
        _ result: String
    ) async throws {
        let operation = try await bank.ask()
        _ = try await phone.deliver()
        for activation in [id.name, nil] {
            let receptions = try await receive(finished(operation, result, at: activation))
            #expect(receptions.compactMap(\.withdrawal).isEmpty)
            #expect(try await phone.ledger(operation, at: id) == .open)
        }
        #expect(try await phone.approve(operation, at: id) == .delivered)
    }

    @Test func `an end that overtakes its announcement leaves nothing to show`() async throws {
        _ = try await bank.simulator.createOperation(
            for: Bank.user, .login, spoiledBy: .withdrawnFirst)
        let receptions = try await phone.deliver()
        #expect(receptions.compactMap(\.newNotice).isEmpty)
        let states = try await phone.authenticator.records().map(\.state)
        #expect(!states.contains(.open))
    }

    // MARK: mtoken.statusChange

    @Test(arguments: [true, false])
    func `a change of status is asked about, named activation or not`(
        _ isNamed: Bool
    ) async throws {
        try await bank.simulator.block(id.name)
        var extras = ["messageType": "mtoken.statusChange"]
        if isNamed { extras["activationId"] = id.name }
        let receptions = try await receive(extras)
        guard case .blocked? = try await phone.state(id) else {
            Issue.record("It isn't known to be blocked.")
            return
        }
        let told = receptions.compactMap { reception -> Enrollment.ID? in
            if case .enrollment(let enrollment) = reception.kind { enrollment.id } else { nil }
        }
        #expect(told == [id])
    }

    @Test func `a change of status that isn't true changes nothing`() async throws {
        let asked = await bank.count(.status)
        _ = try await receive(["messageType": "mtoken.statusChange", "activationId": id.name])
        #expect(await bank.count(.status) == asked + 1)
        #expect(try await phone.state(id) == .active)
    }

    @Test func `without a name every registration is asked about`() async throws {
        let other = try await phone.activated()
        _ = await bank.simulator.takePushes()
        try await bank.simulator.block(other.name)
        try await bank.simulator.block(id.name)
        _ = try await receive(["messageType": "mtoken.statusChange"])
        for each in [id, other] {
            guard case .blocked? = try await phone.state(each) else {
                Issue.record("One of both wasn't asked about.")
                continue
            }
        }
    }

    @Test func `a commit that is pushed makes the enrollment active`() async throws {
        let other = try await phone.enroll().id
        try await bank.simulator.commit(other.name)
        _ = try await receive(["messageType": "mtoken.statusChange", "activationId": other.name])
        #expect(try await phone.state(other) == .active)
    }

    // MARK: mtoken.inboxMessage.new

    @Test func `a new inbox message is told as the inbox lists it, once`() async throws {
        let message = await bank.simulator.createMessage(
            for: Bank.user, subject: "News", summary: "Some", body: "More")
        func told() async throws -> [InboxMessage] {
            try await phone.deliver().compactMap { reception -> InboxMessage? in
                if case .inbox(_, let message) = reception.kind { message } else { nil }
            }
        }
        #expect(try await told() == [InboxMessage(id: message, subject: "News", isRead: false)])
        let other = await bank.simulator.createMessage(
            for: Bank.user, subject: "More news", summary: "Some", body: "More")
        #expect(try await told().map(\.id) == [other])
        #expect(try await phone.authenticator.records().isEmpty)
    }

    // MARK: What isn't the vendor's

    private static let operation = "7e0ba60f-bf22-4ff5-b999-2733784e5eaa"

    @Test(arguments: [
        #"{"aps": {"alert": "News"}}"#,
        #"{"operationId": "\#(operation)", "operationName": "n"}"#,
        #"{"messageType": "mtoken.operationinit", "operationName": "n", "operationId": "\#(operation)"}"#,
        #"{"messageType": "mtoken.somethingNew", "operationId": "\#(operation)", "operationName": "n"}"#,
        #"{"messageType": "mtoken.operationInit", "operationId": "\#(operation)"}"#,
        #"{"messageType": "mtoken.operationInit", "operationName": "login"}"#,
        #"{"messageType": "mtoken.operationInit", "operationId": 1, "operationName": "login"}"#,
        #"{"messageType": "mtoken.operationInit", "operationId": "1", "operationName": "login"}"#,
        #"{"messageType": "mtoken.operationFinished", "operationId": "\#(operation)"}"#,
        #"{"messageType": "mtoken.inboxMessage.new"}"#,
        #"{"messageType": ["mtoken.statusChange"]}"#,
        #"{"messageType": "mtoken.inboxMessage.new", "inboxId": null}"#,
    ])
    func `a message that isn't complete is handed on to the app`(_ json: String) async throws {
        let sent = await bank.simulator.exchanges.count
        #expect(try await receive(json).isEmpty)
        #expect(await bank.simulator.exchanges.count == sent)
    }

    // MARK: Where the extras are

    @Test(arguments: [
        PowerAuthSimulator.FirebaseShape.data, .dataOnly, .appleTwice, .appleInside,
    ])
    func `whichever way Firebase carries them, the extras are found`(
        _ shape: PowerAuthSimulator.FirebaseShape
    ) async throws {
        await bank.configure { $0.firebase = shape }
        try await phone.authenticator.deviceTokenChanged(.fcm("registration-1"), for: id)
        let operation = try await bank.ask()
        let notices = try await phone.deliver().compactMap(\.newNotice)
        #expect(notices.map(\.id.name) == [operation])
        try await bank.simulator.cancelOperation(operation)
        let ends = try await phone.deliver().compactMap(\.withdrawal)
        #expect(ends.map(\.id.name) == [operation])
    }
}
