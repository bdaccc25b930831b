import Foundation
import PushCore
import PushPlatform
import Testing

struct NotificationIdentifierTests {
    private static let awkward = [
        "", "a", "a/b", "/", "//", "%", "%2F", "a%2Fb", "%2f", "ä", "a\u{308}", "日本", "\u{0}", "\n",
        "a b", "\u{202E}", "push-auth", "🔑", ".", "..", "~", "+", "|", "\"", "[\"a\"]",
    ]

    private static func id(_ provider: String, _ enrollment: String, _ name: String) -> Challenge.ID
    {
        Challenge.ID(name, of: Enrollment.ID(enrollment, of: ProviderID(rawValue: provider)))
    }

    @Test func `plain names stand in it as they are`() {
        #expect(
            Self.id("acme", "idm-1", "prc-9.d_0").notificationIdentifier == "acme/idm-1/prc-9.d_0")
        #expect(Self.id("acme/bank-b", "ä", "").notificationIdentifier == "acme%2Fbank-b/%C3%A4/")
    }

    @Test func `no two challenges share one, whatever their names hold, and each comes back`() {
        var seen: [String: Challenge.ID] = [:]
        for provider in Self.awkward {
            for enrollment in Self.awkward {
                for name in Self.awkward {
                    let id = Self.id(provider, enrollment, name)
                    let text = id.notificationIdentifier
                    #expect(seen[text] == nil, "\(text)")
                    #expect(Challenge.ID(notificationIdentifier: text) == id)
                    #expect(text.utf8.allSatisfy { 0x21...0x7E ~= $0 })
                    seen[text] = id
                }
            }
        }
    }

    @Test(arguments: [
        "", "acme", "acme/ada", "acme/ada/1/2", "acme/ada/%", "acme/ada/%2", "acme/ada/%2f",
        "acme/ada/%+f", "acme/ada/%61", "acme/ada/%FF", "acme/ada/a b", "acme/ada/ä",
        "acme/ada/1\u{308}",
    ])
    func `another text is none`(text: String) {
        #expect(Challenge.ID(notificationIdentifier: text) == nil)
    }

    @Test func `a tap brings the challenge back, and the app's own notification brings none`() {
        let id = Self.id("acme/b", "a/da", "1")
        let userInfo: [AnyHashable: Any] = [
            "push-auth.challenge": id.notificationIdentifier, "mine": 7,
        ]
        #expect(Challenge.ID(notificationUserInfo: userInfo) == id)
        #expect(Challenge.ID(notificationUserInfo: ["mine": "acme/ada/1"]) == nil)
        #expect(Challenge.ID(notificationUserInfo: ["push-auth.challenge": 7]) == nil)
        #expect(Challenge.ID(notificationUserInfo: ["push-auth.challenge": "acme"]) == nil)
    }
}
