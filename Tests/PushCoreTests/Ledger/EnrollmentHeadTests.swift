import Foundation
import Testing

@testable import PushCore

/// What the core keeps of an enrollment beside its challenges.
struct EnrollmentHeadTests {
    private static let tokens: [DesiredDeviceToken] = [
        .unspecified, .token(nil), .token(.fcm("token")),
        .token(.apns(hex: "AB", isSandbox: true)),
    ]

    @Test(arguments: tokens) func `it is read as it was written`(token: DesiredDeviceToken) throws {
        var enrollment = Enrollment(
            id: .ada, issuer: "Acme", account: "ada", host: "acme.example", port: 8443,
            state: .pending(.comparison(code: "12")), created: EnrollmentDocument.moment + 0.123)
        enrollment.deviceToken = .fcm("told")
        enrollment.isTokenDoubtful = true
        enrollment.takesDeviceToken = false
        var head = EnrollmentHead(enrollment)
        #expect(try EnrollmentHead(reading: head.sealed) == head)
        head.ownToken = token
        head.claims = ["one", "é"]
        head.departed = EnrollmentDocument.moment + 0.25
        #expect(try EnrollmentHead(reading: head.sealed) == head)
    }

    @Test(arguments: [
        "", "[]", "{}", "{\"enrollment\":{}}", "{\"enrollment\":1}", "\u{FF}",
    ])
    func `what is no head is damaged`(text: String) {
        #expect(code { try EnrollmentHead(reading: secret(text)) } == .malformed)
    }

    @Test(arguments: ["\"claims\":[1]", "\"claims\":1", "\"departed\":\"x\"", "\"ownToken\":{}"])
    func `a member of another type is damage`(member: String) throws {
        let whole = EnrollmentHead(
            Enrollment(id: .ada, state: .active, created: EnrollmentDocument.moment)
        ).sealed.copiedText()
        #expect(try EnrollmentHead(reading: secret(whole)).claims == [])
        let text = "{\(member)," + whole.dropFirst()
        #expect(code { try EnrollmentHead(reading: secret(text)) } == .malformed)
    }

    // MARK: The inbox

    @Test func `each message is told once, and the newest are known`() throws {
        var document = try EnrollmentDocument.ada()
        #expect(document.tell(["2", "1"]) == [true, true])
        document = try document.again
        #expect(document.tell(["3", "2", "1"]) == [true, false, false])
        // What isn't listed may be again.
        #expect(document.tell(["3"]) == [false])
        #expect(document.tell(["1"]) == [false])
        let many = (10..<1000).map { "\($0)" }
        let news = document.tell(many)
        #expect(news.count == many.count)
        #expect(news.count { $0 } == EnrollmentDocument.mostTold)
        #expect(news.prefix(EnrollmentDocument.mostTold).allSatisfy { $0 })
        #expect(document.told.count == EnrollmentDocument.mostTold)
        #expect(document.tell(["1"]) == [true])
        #expect(try document.again.told == document.told)
    }
}
