import Foundation
import Testing

@testable import PushCore

struct DisplayTextTests {
    @Test(arguments: [
        ("plain", "plain"), ("", ""), ("a\nb", "a\nb"), ("a\r\nb", "a\nb"), ("1\r00", "1\n00"),
        ("a\u{2028}b\u{2029}c\u{85}d\u{B}e\u{C}f", "a\nb\nc\nd\ne\nf"), ("a\tb", "a b"),
        ("a\u{0}b\u{1B}[31mc\u{7F}\u{9B}", "ab[31mc"),
        ("pay \u{202E}001\u{202C}", "pay 001"), ("\u{2066}a\u{2069}\u{200E}\u{200F}\u{61C}", "a"),
        ("a\u{200B}\u{2060}\u{FEFF}\u{AD}b", "ab"), ("x\u{E0041}\u{E007F}y", "xy"),
        ("\u{3164}\u{115F}\u{1160}\u{FFA0}\u{180E}z", "z"), ("\u{1D173}\u{1BCA0}n", "n"),
        ("👨\u{200D}👩", "👨\u{200D}👩"), ("می\u{200C}خواهم", "می\u{200C}خواهم"),
        ("<b>bold</b> **x**", "<b>bold</b> **x**"), ("é€😀", "é€😀"),
    ])
    func `text loses what could hide, fake or reorder it`(text: String, shown: String) {
        #expect(DisplayText.sanitized(text, .body) == shown)
        #expect(DisplayText.sanitized(shown, .body) == shown)
        #expect(DisplayText.isPlain(shown, .body))
    }

    @Test(arguments: [
        (DisplayText.Limit.label, 64), (.title, 256), (.body, 2048),
    ])
    func `text is cut, visibly, at its limit`(limit: DisplayText.Limit, count: Int) {
        let full = String(repeating: "a", count: count)
        #expect(DisplayText.sanitized(full, limit) == full)
        #expect(DisplayText.sanitized(full + "b", limit) == full + "…")
        #expect(DisplayText.sanitized(full + "\u{200B}", limit) == full)
        #expect(DisplayText.sanitized(full + "…", limit) == full + "…")
        #expect(DisplayText.isPlain(full, limit) && !DisplayText.isPlain(full + "b", limit))
    }

    @Test func `every public value makes its texts safe`() {
        let bad = "a\u{202E}b"
        let enrollment = Enrollment(
            id: .ada, issuer: bad, account: bad, state: .active, created: morning)
        let notice = Notice(id: .ada("1"), title: bad, body: bad, proof: .mac)
        let offer = Offer(
            provider: "acme", invitation: .typed(text: "x"), issuer: bad, account: bad, host: bad)
        let origin = Challenge.Origin(address: bad, agent: bad, application: bad)
        let incompatible = Incompatible(.ada("1"), kind: bad, minimumVersion: bad)
        let field = Challenge.Field(bad, bad)
        let texts = [
            enrollment.issuer, enrollment.account, notice.title, notice.body, offer.issuer,
            offer.account, offer.host, origin.address, origin.agent, origin.application,
            incompatible.kind, incompatible.minimumVersion, field.label, field.value,
            InboxMessage(id: "1", subject: bad, isRead: false).subject,
        ]
        #expect(texts.allSatisfy { $0 == "ab" })
    }

    @Test(arguments: [["1", "1"], [], [""], ["a\u{202E}"], [String(repeating: "x", count: 65)]])
    func `options that can't be shown as they are can only be denied`(options: [String]) {
        let notice = Notice(id: .ada("1"), proof: .mac)
        let challenge = Challenge(for: notice, prompt: .choose(options), context: Secret([]))
        #expect(challenge.prompt == .denyOnly("Its options can't be shown."))
    }
}
