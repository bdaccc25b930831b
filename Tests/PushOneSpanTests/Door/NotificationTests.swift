import Foundation
import PushCore
import PushOneSpan
import Testing

/// The receiving half of the Notification SDK.
@Suite struct NotificationTests {
    private static let content = "4F4F4331"
    private static let oos = #"""
        {"v":1,"content":"4f4f4331","title":"T","subject":"S","attributes":{"k":"v"}}
        """#

    private func apns(_ oos: String) throws -> PushMessage {
        try PushMessage(
            json: Data(
                #"{"aps":{"alert":{"title":"AT","body":"AB"},"badge":3},"oos":\#(oos)}"#.utf8))
    }

    @Test func `APNs and Firebase bring the same command`() throws {
        for message in [try apns(Self.oos), PushMessage(fcm: ["oos": Self.oos])] {
            #expect(OneSpanNotification.isOneSpanNotification(message))
            #expect(
                try OneSpanNotification.parseOneSpanNotification(message).hex == Self.content)
            #expect(try OneSpanNotification.getTitle(message) == "T")
            #expect(try OneSpanNotification.getSubject(message) == "S")
            #expect(try OneSpanNotification.getCustomAttributes(message) == ["k": "v"])
        }
        #expect(try OneSpanNotification.getBadgeValue(try apns(Self.oos)) == 3)
        #expect(
            try OneSpanNotification.getBadgeValue(PushMessage(fcm: ["oos": Self.oos])) == nil)
    }

    @Test func `without a title of its own the alert's is taken`() throws {
        let message = try apns(#"{"v":1,"content":"00"}"#)
        #expect(try OneSpanNotification.getTitle(message) == "AT")
        #expect(try OneSpanNotification.getSubject(message) == "AB")
        #expect(try OneSpanNotification.getCustomAttributes(message).isEmpty)
    }

    @Test(arguments: [
        #"{"v":2,"content":"00"}"#, #"{"v":"1","content":"00"}"#, #"{"content":"00"}"#,
        #"{"v":1}"#, #"{"v":1,"content":""}"#, #"{"v":1,"content":"0"}"#,
        #"{"v":1,"content":"0G"}"#, #"{"v":1,"content":7}"#,
        #"{"v":1,"content":"00","attributes":{"k":1}}"#,
        #"{"v":1,"content":"00","attributes":[]}"#, "[]", "null", #""not JSON""#,
    ])
    func `anything else isn't OneSpan's`(oos: String) throws {
        let message = try apns(oos)
        #expect(!OneSpanNotification.isOneSpanNotification(message))
        #expect(throws: PushError.self) {
            try OneSpanNotification.parseOneSpanNotification(message)
        }
        #expect(throws: PushError.self) { try OneSpanNotification.getBadgeValue(message) }
    }

    @Test func `a push has room for 768 bytes of command`() throws {
        let longest = String(repeating: "00", count: 768)
        #expect(
            OneSpanNotification.isOneSpanNotification(
                try apns(#"{"v":1,"content":"\#(longest)"}"#)))
        #expect(
            !OneSpanNotification.isOneSpanNotification(
                try apns(#"{"v":1,"content":"\#(longest)00"}"#)))
    }

    @Test func `server errors have the documented ranges`() {
        for category in ServerErrorCategory.allCases {
            #expect(category.codes.count == 100)
            for code in [category.codes.lowerBound, category.codes.upperBound] {
                #expect(ServerErrorCategory(code: code) == category)
            }
        }
        #expect(ServerErrorCategory(code: -999) == nil)
        #expect(ServerErrorCategory(code: -1800) == nil)
        #expect(ServerErrorCategory(code: -8000) == nil)
    }

    @Test func `input errors have their documented names`() {
        #expect(
            [
                ActivationInputProblem.userIDNullOrEmpty, .userIDWrongFormat,
                .activationPasswordNullOrEmpty, .activationPasswordWrongLength,
                .activationPasswordWrongChecksum,
            ].map(\.rawValue) == [
                "USER_ID_NULL_OR_EMPTY", "USER_ID_WRONG_FORMAT",
                "ACTIVATION_PASSWORD_NULL_OR_EMPTY", "ACTIVATION_PASSWORD_WRONG_LENGTH",
                "ACTIVATION_PASSWORD_WRONG_CHECKSUM",
            ])
    }

    private static let errors: [(Int32, OneSpanError)] = [
        (-1000, .server(-1000)), (-1001, .server(-1001)), (-1002, .server(-1002)),
        (-1101, .userLocked), (-1102, .userDisabled),
        (-1100, .user(-1100)), (-1202, .provisioning(-1202, attemptsLeft: nil)),
        (-1300, .authenticator(-1300)), (-1400, .session(-1400)), (-1500, .risk(-1500)),
        (-1600, .passwordRejected(attemptsLeft: nil)), (-1700, .transaction(-1700)),
        (-8000, .server(-8000)), (-8006, .server(-8006)),
    ]

    @Test func `each category has its error`() {
        for (code, expected) in Self.errors {
            #expect(OneSpanError(ServerError(code, isAuthenticated: true)) == expected)
        }
    }
}
