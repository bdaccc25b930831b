import Foundation
import PushCore
import Testing

@testable import PushPowerAuth

@Suite struct OperationTests {
    /// An operation with everything that `docs/vendors/powerauth.md#operations` has.
    static let complete: JSON.Object = [
        "id": "3699a9c0-45f0-458d-84bc-5bde7ec384f7", "name": "authorize_payment",
        "data": "A1*A100CZK*Q238400856\\/0300**D20190629*Né\u{301}", "status": "PENDING",
        "statusReason": "ANY", "operationCreated": "2018-07-02T14:43:13+0000",
        "operationExpires": "2018-07-02T14:48:17+0000",
        "allowedSignatureType": [
            "type": "2FA", "variants": ["possession_knowledge", "possession_biometry"],
        ],
        "formData": [
            "title": "Confirm payment", "message": "Hello", "attributes": [],
            "resultTexts": ["success": "Yes", "failure": "No", "reject": "Never"],
        ],
        "ui": [
            "flipButtons": true, "blockApprovalOnCall": true,
            "preApprovalScreen": [
                "type": "WARNING", "heading": "H", "message": "M", "items": ["a", "b"],
                "approvalType": "SLIDER",
            ],
            "postApprovalScreen": [
                "type": "MERCHANT_REDIRECT", "heading": "H", "message": "M",
                "payload": [
                    "redirectText": "Back", "redirectUrl": "https://shop.example", "countdown": 5,
                ],
            ], "templates": ["list": ["header": "x"]],
        ], "later": ["version": 3],
    ]

    static func operation(_ change: [String: JSON?]) throws -> PowerAuthOperation {
        var object = complete
        for (name, value) in change { object[name] = value }
        return try PowerAuthOperation(.object(object))
    }

    @Test func `every documented member is read`() throws {
        let operation = try Self.operation([:])
        #expect(operation.id == "3699a9c0-45f0-458d-84bc-5bde7ec384f7")
        #expect(operation.name == "authorize_payment")
        #expect(
            operation.data.utf8.elementsEqual(
                "A1*A100CZK*Q238400856\\/0300**D20190629*Né\u{301}".utf8))
        #expect(operation.status == .pending)
        #expect(operation.statusReason == "ANY")
        #expect(operation.operationCreated == Date(timeIntervalSince1970: 1_530_542_593))
        #expect(operation.operationExpires == Date(timeIntervalSince1970: 1_530_542_897))
        #expect(operation.allowedSignatureType.type == .twoFactor)
        #expect(
            operation.allowedSignatureType.variants == [
                "possession_knowledge", "possession_biometry",
            ])
        #expect(operation.formData.title == "Confirm payment")
        #expect(operation.formData.message == "Hello")
        #expect(operation.formData.resultTexts?.success == "Yes")
        #expect(operation.formData.resultTexts?.failure == "No")
        #expect(operation.formData.resultTexts?.reject == "Never")
        #expect(operation.ui.flipButtons)
        #expect(operation.ui.blockApprovalOnCall)
        #expect(operation.ui.preApprovalScreen?.type == .warning)
        #expect(operation.ui.preApprovalScreen?.heading == "H")
        #expect(operation.ui.preApprovalScreen?.message == "M")
        #expect(operation.ui.preApprovalScreen?.items == ["a", "b"])
        #expect(operation.ui.preApprovalScreen?.approvalType == "SLIDER")
        #expect(operation.ui.templates?["list"]?["header"] == "x")
        guard case .merchantRedirect(let way)? = operation.ui.postApprovalScreen?.content else {
            Issue.record("It leads back to a shop.")
            return
        }
        #expect(way.redirectText == "Back")
        #expect(way.redirectUrl == "https://shop.example")
        #expect(way.countdown == 5)
    }

    @Test func `what isn't required can be missing`() throws {
        let operation = try Self.operation([
            "status": .none, "statusReason": .none, "ui": .none,
            "allowedSignatureType": ["type": "1FA"], "formData": ["title": "T", "message": "M"],
        ])
        // Servers of one release leave it out.
        #expect(operation.status == .pending)
        #expect(operation.statusReason == nil)
        #expect(operation.allowedSignatureType.variants.isEmpty)
        #expect(operation.formData.attributes.isEmpty)
        #expect(operation.formData.resultTexts == nil)
        #expect(!operation.ui.flipButtons)
        #expect(!operation.ui.blockApprovalOnCall)
        #expect(operation.ui.preApprovalScreen == nil)
        #expect(operation.ui.postApprovalScreen == nil)
    }

    @Test(arguments: [
        "id", "name", "data", "operationCreated", "operationExpires", "allowedSignatureType",
        "formData",
    ])
    func `what is required can't`(_ name: String) {
        for value in [nil, JSON.null, 5, [], "not a date, nor an object"] as [JSON?] {
            if value?.string != nil, ["id", "name", "data"].contains(name) { continue }
            #expect(throws: PushError.self, "\(name): \(String(describing: value))") {
                try Self.operation([name: value])
            }
        }
    }

    @Test(
        arguments: [
            ["type": "3FA", "variants": []], ["type": "2fa"], ["variants": []], ["type": nil],
            ["type": "2FA", "variants": "possession"],
        ] as [JSON])
    func `an unknown type of signature can't be read`(_ type: JSON) {
        #expect(throws: PushError.self) { try Self.operation(["allowedSignatureType": type]) }
    }

    @Test(arguments: [
        "PENDING", "APPROVED", "REJECTED", "CANCELED", "EXPIRED", "FAILED", "pending", "NEW",
    ])
    func `a state keeps its text`(_ text: String) throws {
        let status = try Self.operation(["status": .string(text)]).status
        #expect(status.text == text)
        let isKnown = if case .unknown = status { false } else { true }
        #expect(isKnown == (text == text.uppercased() && text != "NEW"))
    }

    @Test(
        arguments: [
            ["flipButtons": "true"], ["blockApprovalOnCall": 1], ["preApprovalScreen": "QR_SCAN"],
            ["preApprovalScreen": ["heading": "H"]], ["preApprovalScreens": ["type": "INFO"]],
            ["preApprovalScreens": [5]],
        ] as [JSON])
    func `what may forbid an approval must be readable`(_ ui: JSON) {
        #expect(throws: PushError.self) { try Self.operation(["ui": ui]) }
    }

    @Test(arguments: [
        "INFO", "WARNING", "QR_SCAN", "NEW_KIND",
    ])
    func `a screen before the approval keeps its kind`(_ kind: String) throws {
        let ui = try Self.operation(["ui": ["preApprovalScreen": ["type": .string(kind)]]]).ui
        let expected: PowerAuthOperation.PreApprovalScreen.Kind =
            switch kind {
            case "INFO": .info
            case "WARNING": .warning
            case "QR_SCAN": .qrScan
            default: .unknown(kind)
            }
        #expect(ui.preApprovalScreen?.type == expected)
        #expect(ui.needsProximityCode == (kind == "QR_SCAN"))
        #expect(ui.hasUnknownScreen == (kind == "NEW_KIND"))
        // The same in a list of them.
        let list = try Self.operation([
            "ui": ["preApprovalScreens": [["type": "INFO"], ["type": .string(kind)]]]
        ]).ui
        #expect(list.preApprovalScreens.map(\.type) == [.info, expected])
        #expect(list.needsProximityCode == (kind == "QR_SCAN"))
        #expect(list.hasUnknownScreen == (kind == "NEW_KIND"))
    }

    private func after(_ screen: JSON) throws -> PowerAuthOperation.PostApprovalScreen? {
        try Self.operation(["ui": ["postApprovalScreen": screen]]).ui.postApprovalScreen
    }

    @Test func `screens after the approval are read`() throws {
        let note: JSON = ["type": "NOTE", "id": "n", "label": "L", "note": "N"]
        let review = try after([
            "type": "REVIEW", "heading": "H", "message": "M", "payload": ["attributes": [note]],
        ])
        guard case .review(let attributes)? = review?.content else {
            Issue.record("It reviews.")
            return
        }
        #expect(attributes.map(\.content) == [.note("N")])
        #expect(review?.heading == "H")
        #expect(review?.message == "M")
        #expect(try after(["type": "GENERIC", "payload": ["a": 1]])?.content == .generic(["a": 1]))
        #expect(try after(["type": "NEW", "payload": 1])?.content == .unknown("NEW"))
    }

    @Test(
        arguments: [
            5, [:], ["type": "REVIEW"], ["type": "MERCHANT_REDIRECT", "payload": [:]],
            [
                "type": "MERCHANT_REDIRECT",
                "payload": ["redirectText": "T", "redirectUrl": "U", "countdown": -1],
            ],
        ] as [JSON])
    func `one that can't be read is dropped, not the operation`(_ screen: JSON) throws {
        #expect(try after(screen) == nil)
    }
}
