import Foundation
import PushTesting
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

    @Test(arguments: [
        ("", true), (" \n\t\u{A0}\u{3000}", true), ("\u{200B}\u{200D}\u{2060}", true),
        ("\u{3164}\u{115F}\u{FFA0}\u{2800}\u{AD}\u{E0041}", true), ("\u{7}\u{202E}", true),
        (".", false), ("\u{200B}0", false), ("é", false), ("می\u{200C}خواهم", false),
    ])
    func `a text is blank if nothing of it can be seen`(text: String, isBlank: Bool) {
        #expect(DisplayText.isBlank(text) == isBlank)
    }

    @Test func `a text is shown whole unless what can be seen of it is lost`() {
        func isWhole(_ text: String) -> Bool {
            DisplayText.showsAll(of: text, as: DisplayText.sanitized(text, .label))
        }
        let marks = String(repeating: "\u{301}", count: 8)
        for text in ["", "a\nb", "a\u{200B}b\u{202E}", "e" + marks, "👨\u{200D}👩"] {
            #expect(isWhole(text), "\(text)")
        }
        let full = String(repeating: "a", count: 64)
        #expect(isWhole(full) && isWhole(full + "\u{200B}"))
        #expect(!isWhole(full + "b") && !isWhole("1" + marks + "\u{338}"))
    }

    @Test(arguments: [DisplayText.Limit.label, .title])
    func `a line break is a space everywhere but in a body`(limit: DisplayText.Limit) {
        let text = "a\nb\r\nc\u{2028}d\r\re"
        #expect(DisplayText.sanitized(text, limit) == "a b c d  e")
        #expect(DisplayText.sanitized(text, .body) == "a\nb\nc\nd\n\ne")
        #expect(!DisplayText.isPlain("a\nb", limit) && DisplayText.isPlain("a\nb", .body))
    }

    @Test func `titles and labels of public values have one line`() {
        let lines = "a\nb"
        let field = Challenge.Field(lines, lines)
        let notice = Notice(id: .ada("1"), title: lines, body: lines, proof: .mac)
        let offer = Invitation.Offer(
            provider: "acme", invitation: .typed(text: "x"), issuer: lines, account: lines,
            host: lines)
        let origin = Challenge.Origin(address: lines, agent: lines, application: lines)
        let texts = [
            field.label, notice.title, offer.issuer, offer.account, offer.host, origin.address,
            origin.agent, origin.application,
            InboxMessage(id: "1", subject: lines, isRead: false).subject,
        ]
        #expect(texts.allSatisfy { $0 == "a b" })
        #expect(field.value == lines && notice.body == lines)
    }

    /// Each as its script is written at its fullest, letter by letter with its marks.
    @Test(arguments: [
        "Vie\u{323}\u{302}t", "\u{E17}\u{E35}\u{E48}", "\u{5E9}\u{5BC}\u{5C1}\u{5B8}\u{596}\u{5BD}",
        "\u{915}\u{93C}\u{94D}\u{937}\u{94D}\u{930}\u{940}\u{902}\u{951}",
        "\u{1000}\u{103B}\u{103C}\u{103D}\u{103E}\u{1031}\u{102C}\u{1037}\u{1038}",
        "\u{F67}\u{F90}\u{FB5}\u{FA8}\u{FB3}\u{FBA}\u{FBC}\u{FBB}\u{F82}",
        "👩🏽\u{200D}❤\u{FE0F}\u{200D}💋\u{200D}👩🏽", "1\u{FE0F}\u{20E3}",
    ])
    func `real scripts keep all their marks`(text: String) {
        for limit in [DisplayText.Limit.label, .title, .body] {
            #expect(DisplayText.sanitized(text, limit).hasSameBytes(as: text))
        }
    }

    @Test(arguments: [
        ("Z\u{301}", 20, "Z\u{301}", 8), ("\u{E01}\u{E49}", 9, "\u{E01}\u{E49}", 8),
        ("a\u{20DD}", 10, "a\u{20DD}", 8), ("a\u{903}", 10, "a\u{903}", 8),
    ])
    func `marks that pile up are cut to eight`(
        start: String, more: Int, kept: String, marks: Int
    ) {
        let mark = start.unicodeScalars.suffix(1).map(String.init).joined()
        let piled = start + String(repeating: mark, count: more - 1)
        let shown = kept + String(repeating: mark, count: marks - 1)
        #expect(
            DisplayText.sanitized("\(piled)b\(piled)", .label).hasSameBytes(as: "\(shown)b\(shown)")
        )
        // What isn't seen between them doesn't part them, whether it is kept or not.
        for between in ["\u{200B}", "\u{200D}", "\u{202E}"] {
            let hidden = DisplayText.sanitized(shown + between + mark, .body)
            #expect(hidden.unicodeScalars.filter { String($0) == mark }.count == marks)
        }
    }

    @Test func `making any character safe twice changes nothing more`() {
        let scalars = (UInt32(0)...0x10FFFF).lazy.compactMap(Unicode.Scalar.init)
        var chunk = String.UnicodeScalarView()
        var count = 0
        func check() {
            let text = String(chunk)
            for limit in [DisplayText.Limit.label, .body] {
                let once = DisplayText.sanitized(text, limit)
                #expect(DisplayText.sanitized(once, limit).hasSameBytes(as: once))
                #expect(limit == .body || !once.contains(where: \.isNewline))
                #expect(longestRunOfMarks(once) <= 8)
            }
            count += chunk.count
            chunk.removeAll()
        }
        for scalar in scalars {
            chunk.append(scalar)
            if chunk.count == 64 { check() }
        }
        check()
        #expect(count == 0x110000 - 0x800)
    }

    @Test func `making any mixture safe twice changes nothing more`() {
        let alphabet: [Unicode.Scalar] = [
            "a", "b", "…", " ", "\n", "\r", "\u{2028}", "\u{301}", "\u{316}", "\u{20DD}", "\u{903}",
            "\u{200C}", "\u{200D}", "\u{200B}", "\u{202E}", "\u{FE0F}", "\u{34F}", "\u{E49}",
        ]
        var random = SeededRandom(seed: 9)
        for _ in 0..<3000 {
            var view = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 0...140, using: &random) {
                view.append(alphabet.randomElement(using: &random) ?? "a")
            }
            for limit in [DisplayText.Limit.label, .title, .body] {
                let once = DisplayText.sanitized(String(view), limit)
                #expect(DisplayText.sanitized(once, limit).hasSameBytes(as: once))
                #expect(longestRunOfMarks(once) <= 8)
            }
        }
    }

    /// Joiners and what isn't shown don't end a run.
    private func longestRunOfMarks(_ text: String) -> Int {
        var longest = 0
        var run = 0
        for scalar in text.unicodeScalars where scalar != "\u{200C}" && scalar != "\u{200D}" {
            switch scalar.properties.generalCategory {
            case .nonspacingMark, .spacingMark, .enclosingMark: run += 1
            default: run = 0
            }
            longest = max(longest, run)
        }
        return longest
    }

    @Test func `every public value makes its texts safe`() {
        let bad = "a\u{202E}b"
        let enrollment = Enrollment(
            id: .ada, issuer: bad, account: bad, state: .active, created: morning)
        let notice = Notice(id: .ada("1"), title: bad, body: bad, proof: .mac)
        let offer = Invitation.Offer(
            provider: "acme", invitation: .typed(text: "x"), issuer: bad, account: bad, host: bad)
        let origin = Challenge.Origin(address: bad, agent: bad, application: bad)
        let incompatible = PushEvent.Incompatible(.ada("1"), kind: bad, minimumVersion: bad)
        let field = Challenge.Field(bad, bad)
        let texts = [
            enrollment.issuer, enrollment.account, notice.title, notice.body, offer.issuer,
            offer.account, offer.host, origin.address, origin.agent, origin.application,
            incompatible.kind, incompatible.minimumVersion, field.label, field.value,
            InboxMessage(id: "1", subject: bad, isRead: false).subject,
        ]
        #expect(texts.allSatisfy { $0 == "ab" })
    }

    @Test(arguments: [
        ["1", "1"], [], [""], ["a\u{202E}"], [String(repeating: "x", count: 65)], ["1\n2"],
        ["1\u{200D}"], ["1", "1\u{200C}"], ["👩\u{200D}💻"], ["\u{E9}", "e\u{301}"],
        ["1" + String(repeating: "\u{301}", count: 9)],
    ])
    func `options that can't be shown as they are can only be denied`(options: [String]) {
        let notice = Notice(id: .ada("1"), proof: .mac)
        let challenge = Challenge(for: notice, prompt: .choose(options))
        #expect(challenge.prompt == .denyOnly("Its options can't be shown."))
    }

    @Test(arguments: [
        ["07", "34"], ["Vie\u{323}\u{302}t Nam", "ไทย"], ["👩🏽", "1\u{FE0F}\u{20E3}"],
    ])
    func `options that are shown as they are can be chosen`(options: [String]) {
        let notice = Notice(id: .ada("1"), proof: .mac)
        let challenge = Challenge(for: notice, prompt: .choose(options))
        #expect(challenge.prompt == .choose(options))
    }
}
