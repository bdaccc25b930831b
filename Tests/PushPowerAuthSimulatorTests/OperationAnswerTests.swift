import Foundation
import PushCore
import PushPowerAuthSimulator
import PushTesting
import Testing

/// What approves an operation, and what else ends it.
struct OperationAnswerTests {
    typealias Template = PowerAuthSimulator.OperationTemplate

    private let bench = Bench()
    private let payment = Template.payment

    private func status(_ id: String) async throws -> PowerAuthSimulator.OperationStatus {
        try await bench.server.operation(id).status
    }

    @Test(arguments: ["possession_knowledge", "possession_biometry"])
    func `approving with an allowed pair of factors ends it`(type: String) async throws {
        let phone = try await bench.active()
        let id = try await bench.server.createOperation(for: "ada", payment).id
        let reply = try await bench.authorize(phone, id, data: payment.data, type)
        #expect(reply.json == ["status": "OK"])
        #expect(try await status(id) == .approved)
        let again = try await bench.authorize(phone, id, data: payment.data, type)
        #expect(again.code == "OPERATION_ALREADY_FINISHED")
        #expect(again.status == 400)
    }

    @Test func `factors that aren't allowed fail, and count`() async throws {
        let phone = try await bench.active()
        var template = payment
        template.approval = .twoFactors([.possessionBiometry])
        let strict = try await bench.server.createOperation(for: "ada", template).id
        template.approval = .oneFactor
        let simple = try await bench.server.createOperation(for: "ada", template).id
        for (id, type) in [
            (strict, "possession_knowledge"), (strict, "possession"),
            (simple, "possession_knowledge"),
        ] {
            let reply = try await bench.authorize(phone, id, data: payment.data, type)
            #expect(reply.status == 401)
            #expect(reply.code == "OPERATION_FAILED")
        }
        #expect(try await bench.server.operation(strict).failures == 2)
        #expect(try await bench.record(phone).failedAttempts == 0)
        #expect(
            try await bench.authorize(phone, simple, data: payment.data, "possession").status
                == 200)
    }

    @Test func `other data fails, even if Unicode calls it equal`() async throws {
        let phone = try await bench.active()
        var template = payment
        template.data = "A1*N\u{E9}"
        let id = try await bench.server.createOperation(for: "ada", template).id
        for data in ["A1*Ne\u{301}", "A1*N", ""] {
            let reply = try await bench.authorize(phone, id, data: data)
            #expect(reply.code == "OPERATION_FAILED")
        }
        #expect(try await bench.authorize(phone, id, data: template.data).status == 200)
    }

    @Test func `five wrong approvals fail it`() async throws {
        let phone = try await bench.active()
        let id = try await bench.server.createOperation(for: "ada", payment).id
        for _ in 1...2 { _ = try await bench.authorize(phone, id, data: "A1") }
        for _ in 1...2 {
            let reply = try await bench.authorize(
                phone, id, data: payment.data, twist: .init(wrong: "knowledge"))
            #expect(reply.status == 401)
            #expect(reply.code == "POWERAUTH_AUTH_FAIL")
        }
        #expect(try await status(id) == .pending)
        #expect(try await bench.server.operation(id).failures == 4)
        _ = try await bench.authorize(
            phone, id, data: payment.data, twist: .init(wrong: "knowledge"))
        #expect(try await status(id) == .failed)
        #expect(try await bench.record(phone).failedAttempts == 3)
        let late = try await bench.authorize(phone, id, data: payment.data)
        #expect(late.code == "OPERATION_ALREADY_FAILED")
    }

    @Test func `a stranger's wrong signature doesn't count`() async throws {
        let stranger = try await bench.active("eve")
        let id = try await bench.server.createOperation(for: "ada", payment).id
        _ = try await bench.authorize(
            stranger, id, data: payment.data, twist: .init(wrong: "knowledge"))
        #expect(try await bench.server.operation(id).failures == 0)
    }

    @Test func `rejecting takes possession and a reason`() async throws {
        let phone = try await bench.tokened()
        let id = try await bench.server.createOperation(for: "ada", payment).id
        #expect(try await bench.cancel(phone, id, "").code == "INVALID_REQUEST")
        #expect(
            try await bench.cancel(phone, id, "UNKNOWN", "possession_knowledge").status == 401)
        let reason = "A reason of the user's own, longer than 32"
        #expect(try await bench.cancel(phone, id, reason).json == ["status": "OK"])
        let operation = try await bench.server.operation(id)
        #expect(operation.status == .rejected)
        #expect(operation.reason == reason)
        let detail = try await bench.read(
            phone, Bench.operations + "/detail", ["id": .string(id)])
        #expect(detail.object?["statusReason"]?.string == String(reason.prefix(32)))
        #expect(try await bench.cancel(phone, id).code == "OPERATION_ALREADY_FINISHED")
    }

    @Test func `an operation expires at its time`() async throws {
        let phone = try await bench.tokened()
        let id = try await bench.server.createOperation(for: "ada", payment).id
        bench.clock.advance(by: .milliseconds(299_999))
        #expect(try await status(id) == .pending)
        bench.clock.advance(by: .milliseconds(1))
        let late = try await bench.authorize(phone, id, data: payment.data)
        #expect(late.status == 400)
        #expect(late.code == "OPERATION_EXPIRED")
        #expect(try await status(id) == .expired)
        #expect(try await bench.read(phone, Bench.operations + "/list").object == [])
    }

    @Test func `the back office ends what waits, once`() async throws {
        let phone = try await bench.active()
        let server = bench.server
        func fresh() async throws -> String {
            try await server.createOperation(for: "ada", payment).id
        }
        var id = try await fresh()
        try await server.cancelOperation(id, because: "fraud")
        #expect(
            try await bench.authorize(phone, id, data: payment.data).code
                == "OPERATION_ALREADY_CANCELED")
        id = try await fresh()
        try await server.expireOperation(id)
        #expect(
            try await bench.authorize(phone, id, data: payment.data).code == "OPERATION_EXPIRED")
        id = try await fresh()
        try await server.approveElsewhere(id)
        #expect(
            try await bench.authorize(phone, id, data: payment.data).code
                == "OPERATION_ALREADY_FINISHED")
        id = try await fresh()
        try await server.failOperation(id)
        #expect(try await status(id) == .failed)
        await #expect(throws: PushError.self) { try await server.cancelOperation(id) }
    }
}
