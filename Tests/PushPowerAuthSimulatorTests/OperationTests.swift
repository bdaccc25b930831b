import Foundation
import PushCore
import PushPowerAuthSimulator
import PushTesting
import Testing

/// Operations: what is shown of them, and who sees them.
struct OperationTests {
    typealias Template = PowerAuthSimulator.OperationTemplate

    private let bench = Bench()
    private let payment = Template.payment

    private func status(_ id: String) async throws -> PowerAuthSimulator.OperationStatus {
        try await bench.server.operation(id).status
    }

    @Test func `an operation is listed and shown as its template says`() async throws {
        let phone = try await bench.tokened()
        let id = try await bench.server.createOperation(for: "ada", payment).id
        let list = try await bench.read(phone, Bench.operations + "/list")
        #expect(list.json?["currentTimestamp"] == "2024-10-27T03:33:20+0000")
        let operation = try #require(list.object?.array?.first)
        #expect(list.object?.array?.count == 1)
        #expect(operation["id"]?.string == id)
        #expect(operation["name"] == "authorize_payment")
        #expect(operation["ui"] == nil)
        #expect(operation["statusReason"] == nil)
        #expect(operation["data"]?.string == payment.data)
        #expect(operation["status"] == "PENDING")
        #expect(operation["operationCreated"] == "2024-10-27T03:33:20+0000")
        #expect(operation["operationExpires"] == "2024-10-27T03:38:20+0000")
        #expect(
            operation["allowedSignatureType"] == [
                "type": "2FA", "variants": ["possession_knowledge", "possession_biometry"],
            ])
        #expect(
            operation["formData"]?["attributes"]?.array?.first == [
                "type": "AMOUNT", "id": "amount", "label": "Amount", "amount": 100,
                "currency": "CZK", "valueFormatted": "100.00 CZK",
            ])
        let detail = try await bench.read(
            phone, Bench.operations + "/detail", ["id": .string(id)])
        #expect(detail.object == operation)
        #expect(detail.json?["currentTimestamp"] != nil)
    }

    @Test func `each kind of attribute has its members`() async throws {
        let phone = try await bench.tokened()
        let euro = PowerAuthSimulator.Money(JSON.Number(1.5).map(JSON.number), "EUR")
        var template = payment
        template.attributes = [
            .init(
                "1", "A",
                .conversion(
                    from: euro, to: .init(nil, nil, shown: "38 CZK"),
                    isDynamic: true)),
            .init("2", "B", .heading(level: 3)), .init("3", "C", .note("n")),
            .init("4", "D", .alert(type: "WARNING", title: "t", message: "m")),
            .init(
                "5", "E",
                .party(
                    logoURL: "l", name: "n", description: "d", websiteURL: "w")),
            .init("6", "F", .image(thumbnailURL: "t", originalURL: nil)),
            .init("7", "G", .other(type: "NEW", ["x": 1])), .init("8", "H", .value("v")),
        ]
        _ = try await bench.server.createOperation(for: "ada", template)
        let list = try await bench.read(phone, Bench.operations + "/list")
        let attributes = list.object?.array?.first?["formData"]?["attributes"]?.array
        #expect(
            attributes == [
                [
                    "type": "AMOUNT_CONVERSION", "id": "1", "label": "A", "dynamic": true,
                    "sourceAmount": .number(try #require(.init(1.5))), "sourceCurrency": "EUR",
                    "targetValueFormatted": "38 CZK",
                ],
                ["type": "HEADING", "id": "2", "label": "B", "level": 3],
                ["type": "NOTE", "id": "3", "label": "C", "note": "n"],
                [
                    "type": "ALERT", "id": "4", "label": "D", "alertType": "WARNING",
                    "title": "t", "message": "m",
                ],
                [
                    "type": "PARTY_INFO", "id": "5", "label": "E",
                    "partyInfo": [
                        "logoUrl": "l", "name": "n", "description": "d", "websiteUrl": "w",
                    ],
                ],
                ["type": "IMAGE", "id": "6", "label": "F", "thumbnailUrl": "t"],
                ["type": "NEW", "id": "7", "label": "G", "x": 1],
                ["type": "KEY_VALUE", "id": "8", "label": "H", "value": "v"],
            ])
    }

    @Test func `a template's screens and replaced members are shown`() async throws {
        let phone = try await bench.tokened()
        var template = payment
        var screen = PowerAuthSimulator.PreApprovalScreen(
            "WARNING", heading: "Beware", message: "Really?")
        screen.items = ["one"]
        screen.approvalType = "SLIDER"
        template.preApprovalScreen = screen
        template.postApprovalScreen = ["type": "GENERIC"]
        template.ui = ["flipButtons": true]
        template.resultTexts = ["success": "Done"]
        template.replacedMembers = ["status": nil, "name": "renamed"]
        _ = try await bench.server.createOperation(for: "ada", template)
        let operation = try await bench.read(phone, Bench.operations + "/list").object?.array?[0]
        #expect(
            operation?["ui"] == [
                "flipButtons": true,
                "preApprovalScreen": [
                    "type": "WARNING", "heading": "Beware", "message": "Really?",
                    "items": ["one"], "approvalType": "SLIDER",
                ], "postApprovalScreen": ["type": "GENERIC"],
            ])
        #expect(operation?["formData"]?["resultTexts"] == ["success": "Done"])
        #expect(operation?["status"] == nil)
        #expect(operation?["name"] == "renamed")
    }

    @Test func `another user's operation looks like none`() async throws {
        let phone = try await bench.tokened("eve")
        let id = try await bench.server.createOperation(for: "ada", payment).id
        #expect(try await bench.read(phone, Bench.operations + "/list").object == [])
        let none = UUID().uuidString.lowercased()
        for path in ["/detail", "/detail/claim"] {
            let reply = try await bench.read(
                phone, Bench.operations + path, ["id": .string(id)])
            #expect(reply.status == 400)
            #expect(reply.code == "INVALID_OPERATION")
            #expect(
                try await bench.read(phone, Bench.operations + path, ["id": .string(none)])
                    == reply)
        }
        let reply = try await bench.authorize(phone, id, data: payment.data)
        #expect(reply.code == "INVALID_OPERATION")
        #expect(try await bench.authorize(phone, none, data: payment.data) == reply)
        #expect(try await bench.cancel(phone, id) == reply)
        #expect(try await status(id) == .pending)
    }

    @Test func `an operation may be for one of a user's activations`() async throws {
        let phone = try await bench.tokened()
        let tablet = try await bench.tokened()
        let id = try await bench.server.createOperation(for: "ada", payment, on: tablet.id).id
        #expect(try await bench.read(phone, Bench.operations + "/list").object == [])
        #expect(
            try await bench.authorize(phone, id, data: payment.data).code == "INVALID_OPERATION")
        #expect(try await bench.authorize(tablet, id, data: payment.data).status == 200)
        await #expect(throws: PushError.self) {
            try await bench.server.createOperation(for: "eve", payment, on: tablet.id)
        }
    }

    @Test func `whoever claims an operation first has it`() async throws {
        let phone = try await bench.tokened()
        let late = try await bench.tokened("eve")
        let id = try await bench.server.createOperation(for: nil, payment).id
        let object: JSON = ["id": .string(id)]
        #expect(
            try await bench.authorize(phone, id, data: payment.data).code == "INVALID_OPERATION")
        let claim = Bench.operations + "/detail/claim"
        #expect(try await bench.read(phone, claim, object).object?["id"]?.string == id)
        #expect(try await bench.server.operation(id).user == "ada")
        #expect(try await bench.read(phone, claim, object).status == 200)
        #expect(try await bench.read(late, claim, object).code == "INVALID_OPERATION")
        #expect(try await bench.authorize(phone, id, data: payment.data).status == 200)
    }

    @Test func `history takes two factors and shows what is over`() async throws {
        let phone = try await bench.active()
        let first = try await bench.server.createOperation(for: "ada", payment).id
        let second = try await bench.server.createOperation(for: "ada", payment).id
        _ = try await bench.server.createOperation(for: "eve", payment)
        try await bench.server.cancelOperation(first)
        let path = Bench.operations + "/history"
        let reply = try await bench.signed(phone, path, "/operation/history")
        #expect(reply.object?.array?.map { $0["id"]?.string } == [second, first])
        #expect(reply.object?.array?.map { $0["status"]?.string } == ["PENDING", "CANCELED"])
        #expect(reply.json?["currentTimestamp"] == nil)
        #expect(
            try await bench.signed(phone, path, "/operation/history", [:], "possession").code
                == "POWERAUTH_AUTH_FAIL")
    }

    @Test func `a list ends at a hundred, the newest first`() async throws {
        let phone = try await bench.tokened()
        for number in 1...101 {
            var template = payment
            template.name = "payment \(number)"
            _ = try await bench.server.createOperation(for: "ada", template)
        }
        let list = try await bench.read(phone, Bench.operations + "/list").object?.array
        #expect(list?.count == 100)
        #expect(list?.first?["name"] == "payment 101")
    }

    @Test func `flags keep activations from approving`() async throws {
        let phone = try await bench.active(flags: ["VERIFICATION_PENDING"])
        var template = payment
        template.requiredFlag = "VIP"
        let id = try await bench.server.createOperation(for: "ada", template).id
        #expect(
            try await bench.authorize(phone, id, data: payment.data).code
                == "POWERAUTH_AUTH_FAIL")
        try await bench.server.setFlags(["VERIFICATION_IN_PROGRESS"], of: phone.id)
        #expect(
            try await bench.authorize(phone, id, data: payment.data).code
                == "POWERAUTH_AUTH_FAIL")
        try await bench.server.setFlags([], of: phone.id)
        #expect(
            try await bench.authorize(phone, id, data: payment.data).code
                == "OPERATION_REQUIRES_ACTIVATION_FLAG")
        #expect(try await bench.server.operation(id).failures == 0)
        try await bench.server.setFlags(["VIP"], of: phone.id)
        #expect(try await bench.authorize(phone, id, data: payment.data).status == 200)
    }

    @Test func `a body that isn't one is invalid`() async throws {
        let phone = try await bench.tokened()
        for body in [[:], ["requestObject": ["id": "1"]]] as [JSON] {
            let reply = try await bench.signed(
                phone, Bench.operations + "/authorize", "/operation/authorize", body)
            #expect(reply.code == "INVALID_REQUEST")
        }
        #expect(
            try await bench.read(phone, Bench.operations + "/detail", [:]).code
                == "INVALID_REQUEST")
    }
}
