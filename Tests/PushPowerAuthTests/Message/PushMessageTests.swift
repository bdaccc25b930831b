import Foundation
import PushCore
import PushPowerAuth
import Testing

/// Extras as the vendor's page "Used Push Message Extras" names them.
@Suite struct PushMessageTests {
    private static let operation = "7e0ba60f-bf22-4ff5-b999-2733784e5eaa"
    private static let activation = "c564e700-7e86-4a87-b6c8-a5a0cc89683f"

    private static let complete: [PowerAuthPushMessage.MessageType: [String: JSON]] = [
        .operationInit: [
            "operationId": .string(operation), "operationName": "authorize_payment",
            "activationId": .string(activation),
        ],
        .operationFinished: [
            "operationId": .string(operation), "operationName": "login",
            "activationId": .string(activation), "mtokenOperationResult": "operation.timeout",
        ],
        .statusChange: ["activationId": .string(activation)],
        .inboxMessageNew: ["inboxId": "ae641389-d37a-4425-bd14-41c29484596f"],
    ]

    private func extras(
        _ type: PowerAuthPushMessage.MessageType, _ change: [String: JSON?] = [:]
    ) -> JSON.Object {
        var object = JSON.Object(
            (Self.complete[type] ?? [:]).merging(["messageType": .string(type.rawValue)]) { $1 }
                .map { ($0.key, $0.value) })
        for (name, value) in change { object[name] = value }
        return object
    }

    private func push(_ object: JSON.Object) throws -> PushMessage {
        try PushMessage(json: JSON.object(object).data)
    }

    @Test func `the documented types are these four`() {
        #expect(
            PowerAuthPushMessage.MessageType.allCases.map(\.rawValue) == [
                "mtoken.operationInit", "mtoken.operationFinished", "mtoken.statusChange",
                "mtoken.inboxMessage.new",
            ])
    }

    @Test func `a new operation is read with its alert`() throws {
        let message = try PushMessage(
            json: Data(
                """
                {"aps": {"alert": {"title": "Confirm payment", "body": "CZK 100"}, "sound": "default"},
                 "messageType": "mtoken.operationInit", "operationId": "\(Self.operation)",
                 "operationName": "authorize_payment", "activationId": "\(Self.activation)",
                 "mtokenOperationResult": 5, "other": [1]}
                """.utf8))
        let push = try #require(PowerAuthPushMessage(message))
        #expect(push.messageType == .operationInit)
        #expect(push.operationId == Self.operation)
        #expect(push.operationName == "authorize_payment")
        #expect(push.activationId == Self.activation)
        #expect(push.title == "Confirm payment")
        #expect(push.body == "CZK 100")
        #expect(push.mtokenOperationResult == nil)
        #expect(push.inboxId == nil)
    }

    @Test(arguments: [
        "{}", #"{"title": "T"}"#, #"{"title": "T", "body": 1}"#, #"{"title": null, "body": "B"}"#,
        #""T""#, "[]",
    ])
    func `an alert without both texts is none`(_ alert: String) throws {
        var object = extras(.operationInit)
        object["aps"] = .object(["alert": try JSON(parsing: alert)])
        let push = try #require(PowerAuthPushMessage(try push(object)))
        #expect(push.title == nil)
        #expect(push.body == nil)
    }

    @Test func `only a new operation has an alert`() throws {
        var object = extras(.operationFinished)
        object["aps"] = ["alert": ["title": "T", "body": "B"]]
        #expect(try #require(PowerAuthPushMessage(try push(object))).title == nil)
    }

    @Test(arguments: PowerAuthPushMessage.MessageType.allCases)
    func `every extra of a type is read`(_ type: PowerAuthPushMessage.MessageType) throws {
        let push = try #require(PowerAuthPushMessage(try push(extras(type))))
        let expected = Self.complete[type] ?? [:]
        #expect(push.messageType == type)
        #expect(push.operationId == expected["operationId"]?.string)
        #expect(push.operationName == expected["operationName"]?.string)
        #expect(push.activationId == expected["activationId"]?.string)
        #expect(push.mtokenOperationResult?.text == expected["mtokenOperationResult"]?.string)
        #expect(push.inboxId == expected["inboxId"]?.string)
    }

    @Test(arguments: PowerAuthPushMessage.MessageType.allCases)
    func `what is required can't be missing, and what isn't can`(
        _ type: PowerAuthPushMessage.MessageType
    ) throws {
        for name in (Self.complete[type] ?? [:]).keys {
            let push = PowerAuthPushMessage(try push(extras(type, [name: .none])))
            // Of a change of status the page says "required", and "if known".
            #expect((push == nil) == (name != "activationId"), "\(name)")
        }
    }

    @Test(
        arguments: PowerAuthPushMessage.MessageType.allCases, [5, true, nil, [:], ["a"]] as [JSON])
    func `an extra that is no text makes the message somebody else's`(
        _ type: PowerAuthPushMessage.MessageType, _ value: JSON
    ) throws {
        for name in ["messageType"] + (Self.complete[type] ?? [:]).keys {
            #expect(PowerAuthPushMessage(try push(extras(type, [name: value]))) == nil, "\(name)")
        }
    }

    @Test(
        arguments: [PowerAuthPushMessage.MessageType.operationInit, .operationFinished],
        ["1", "", operation.replacing("-", with: ""), operation + " ", "x" + operation.dropFirst()])
    func `an operation that is no UUID makes the message somebody else's`(
        _ type: PowerAuthPushMessage.MessageType, _ name: String
    ) throws {
        #expect(
            PowerAuthPushMessage(try push(extras(type, ["operationId": .string(name)]))) == nil)
        let upper = Self.operation.uppercased()
        let read = PowerAuthPushMessage(try push(extras(type, ["operationId": .string(upper)])))
        #expect(read?.operationId == upper)
    }

    @Test(arguments: [
        "", "mtoken.operationinit", "mtoken.operationInit ", "operationInit", "mtoken.inboxMessage",
        "mtoken.operationCancelled",
    ])
    func `an unknown type is somebody else's`(_ type: String) throws {
        let message = try push(extras(.operationInit, ["messageType": .string(type)]))
        #expect(PowerAuthPushMessage(message) == nil)
    }

    @Test(arguments: [
        ("authentication.success", PowerAuthOperationResult.authenticationSuccess),
        ("authentication.fail", .authenticationFail), ("operation.timeout", .operationTimeout),
        ("operation.canceled", .operationCanceled),
        ("operation.methodNotAvailable", .operationMethodNotAvailable),
        ("operation.new", .unknown("operation.new")), ("", .unknown("")),
        ("Operation.Timeout", .unknown("Operation.Timeout")),
    ])
    func `an end is reported, known or not`(
        _ text: String, _ result: PowerAuthOperationResult
    ) throws {
        let message = try push(
            extras(.operationFinished, ["mtokenOperationResult": .string(text)]))
        #expect(PowerAuthPushMessage(message)?.mtokenOperationResult == result)
        #expect(result.text == text)
    }

    @Test func `Firebase's data is read as it is`() throws {
        let data = [
            "messageType": "mtoken.inboxMessage.new", "inboxId": "1",
            "_notification": #"{"title":"T","body":"B"}"#,
        ]
        let push = try #require(PowerAuthPushMessage(PushMessage(fcm: data)))
        #expect(push.inboxId == "1")
        #expect(push.title == nil)
    }

    @Test func `extras inside of aps count where there are none beside it`() throws {
        var inside = extras(.operationInit)
        inside["alert"] = ["title": "T", "body": "B"]
        let push = try #require(PowerAuthPushMessage(try push(["aps": .object(inside)])))
        #expect(push.operationId == Self.operation)
        #expect(push.title == "T")
    }

    @Test func `extras beside aps come before those inside`() throws {
        var object = extras(.inboxMessageNew)
        object["aps"] = .object(extras(.operationInit))
        #expect(PowerAuthPushMessage(try push(object))?.messageType == .inboxMessageNew)
        // A type that isn't one doesn't send the reader inside.
        object["messageType"] = "news"
        #expect(PowerAuthPushMessage(try push(object)) == nil)
    }

    @Test func `extras are not mixed from both places`() throws {
        var object: JSON.Object = ["messageType": "mtoken.inboxMessage.new"]
        object["aps"] = ["inboxId": "1"]
        #expect(PowerAuthPushMessage(try push(object)) == nil)
    }

    @Test func `a text is no push`() {
        let text = #"{"messageType":"mtoken.statusChange"}"#
        for channel in [PushMessage.Channel.scanned, .link, .relayed] {
            #expect(PowerAuthPushMessage(PushMessage(text: text, by: channel)) == nil)
        }
    }
}
