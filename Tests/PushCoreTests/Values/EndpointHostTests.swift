import ExternalTool
import Foundation
import PushTesting
import Testing

@testable import PushCore

/// Which hosts a URL may have: those that every client reads alike.
struct EndpointHostTests {
    private static let labelOf63 = String(repeating: "a", count: 63)
    private static let nameOf253 = String(repeating: "a.", count: 126) + "a"

    @Test(arguments: [
        // Names.
        "acme", "acme.example", "ACME.Example", "acme.example.", "a-b.example", "-a.example",
        "a-.example", "a--b.example", "host_name", "_x.example", "1.example", "1.2.3.4.example",
        "0x7f.example", "256.256.example", "1e3", "1a", "a1", "0xg", "example.x0", "0x7f.1.a",
        labelOf63, "\(labelOf63).\(labelOf63).example", nameOf253, nameOf253 + ".",
        // Addresses.
        "0.0.0.0", "127.0.0.1", "255.255.255.255", "[::]", "[::1]", "[2001:DB8::1]",
        "[1:2:3:4:5:6:7:8]", "[1:2:3:4:5:6:7::]", "[::2:3:4:5:6:7:8]", "[::ffff:1.2.3.4]",
        "[1:2:3:4:5:6:1.2.3.4]", "[fe80::1]",
        // International names: ärzte, straße, امارات, a key, two Devanagari letters with a joiner.
        "xn--rzte-koa.example", "XN--STRAE-OQA.example", "xn--mgbaam7a8h", "a.xn--ls8h.b",
        "xn--11b2ezcw70k.example", "xn--a_b-dma.example",
    ])
    func `a host in its plain form is taken, verbatim`(host: String) throws {
        let endpoint = try Endpoint("https://\(host)/")
        let shown = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        #expect(endpoint.host == shown.lowercased() && endpoint.authority == host)
        #expect(try Endpoint("http://\(host):8080?x").host == endpoint.host)
    }

    /// Each form, and why no client, or not every one, can read it.
    static let refused: [(host: String, why: String)] = [
        ("1.2.3.08", "08 is no octal number"), ("1.2.3.09", "09 is no octal number"),
        ("foo.0x4", "a number at the end makes it an IPv4 address, foo is no number"),
        ("foo.0x4.", "the same behind a trailing dot"), ("foo.0x", "0x is the number 0"),
        ("foo.0X", "in any case"), ("0x", "the number 0 alone"), ("foo.1", "foo is no number"),
        ("foo.1.2", "foo is no number"), ("foo.09", "digits are a number, octal or not"),
        ("foo.4294967296", "digits are a number, however large"), ("a.b.1.2.3.4", "six parts"),
        ("1.2.3.4.5", "five parts"), ("0.0.0.0.0", "five parts"), ("256.1.1.1", "over 255"),
        ("1.256.1.1", "over 255"), ("1.1.1.256", "over 255"), ("1.2.3.999", "over 255"),
        ("4294967296", "over 32 bits"), ("99999999999999999999", "over 64 bits"),
        ("1.16777216", "over 24 bits"), ("0x100000000", "over 32 bits"),
        ("1..2.3", "an empty part"), ("1.2.3.", "an empty part, or three"),
        ("0x7f.1", "127.0.0.1 to some"), ("127.1", "127.0.0.1 to some"),
        ("127.0.1", "127.0.0.1 to some"), ("0177.0.0.1", "127.0.0.1 or 177.0.0.1"),
        ("127.0.0.01", "127.0.0.1 to some"), ("00.0.0.0", "0.0.0.0 to some"),
        ("0x7f.0.0.1", "127.0.0.1 to some"), ("0x7F000001", "127.0.0.1 to some"),
        ("2130706433", "127.0.0.1 to some"), ("017700000001", "127.0.0.1 to some"),
        ("0", "0.0.0.0 to some"), ("127.0.0.1.", "127.0.0.1 to some, a name to others"),
        ("%31.2.3.4", "escaped"), ("1.2.3.4%", "a zone of nothing"),
        ("", "no host"), (".", "no label"), ("..", "no label"), (".a", "an empty label"),
        ("a..b", "an empty label"), ("a..", "an empty label"),
        (labelOf63 + "a", "a label of 64 characters"),
        ("a.\(labelOf63)a.example", "a label of 64 characters"),
        (nameOf253 + "a", "254 characters"), (nameOf253 + ".a", "255 characters"),
        ("xn--", "no Punycode at all"), ("xn--.example", "no Punycode at all"),
        ("a.xn--", "no Punycode at all"), ("XN--", "in any case"), ("xn---", "no digits"),
        ("xn--a", "a control character"), ("xn--a-", "nothing but ASCII"),
        ("xn--acme-", "nothing but ASCII"), ("xn--0", "a number that doesn't end"),
        ("xn--999999b", "beyond Unicode"), ("xn--a.example", "a control character"),
        ("xn--99999999999999999999", "a number that doesn't end"), ("xn--\u{E9}", "not ASCII"),
        ("xn--ab_", "no digit of Punycode"), ("xn--kba", "a soft hyphen, which isn't seen"),
        ("xn--hba", "an ordinal sign, which is mapped to a letter"),
        ("xn--3ba", "a capital letter"), ("xn--lsa", "a mark without a letter"),
        ("xn--1ug", "a joiner that joins nothing"), ("xn--a-ugn", "a joiner after a Latin letter"),
        ("xn--0y0c", "a private character"), ("xn--ib9b", "half of a surrogate pair"),
        ("xn--5g7c", "a fullwidth dot"), ("xn--r6j", "an ideographic full stop"),
        ("xn--l-vgn", "a mark of direction"),
        ("[]", "no address"), ("[:]", "no address"), ("[1.2.3.4]", "not IPv6"),
        ("[acme]", "not IPv6"), ("[:::]", "no address"), ("[::1", "no bracket"),
        ("::1", "no brackets"), ("[[::1]]", "two brackets"), ("[::1]a", "more after the bracket"),
        ("a[::1]", "more before the bracket"), ("[1:2:3:4:5:6:7]", "seven groups"),
        ("[1:2:3:4:5:6:7:8:9]", "nine groups"), ("[1:2:3:4::5:6:7:8]", "nothing left out"),
        ("[1::2::3]", "left out twice"), ("[:1::2]", "a colon too many"),
        ("[1::2:]", "a colon too many"), ("[12345::]", "five digits"), ("[::g]", "no digit"),
        ("[::-1]", "no digit"), ("[::1%25eth0]", "a zone"), ("[fe80::1%eth0]", "a zone"),
        ("[::1.2.3]", "three numbers"), ("[::1.2.3.4.5]", "five numbers"),
        ("[::256.2.3.4]", "over 255"), ("[::01.2.3.4]", "a leading zero"),
        ("[::0x1.2.3.4]", "not decimal"), ("[::1.2.3.4:5]", "an IPv4 address amid groups"),
        ("[1:2:3:4:5:6:7:1.2.3.4]", "nine groups"), ("[1.2.3.4::]", "an IPv4 address first"),
        ("[::1.2.3.]", "three numbers"), ("[::ffff:.2.3.4]", "three numbers"),
        ("a b", "a space"), ("a%2eb", "escaped"), ("a,b", "no character of a host"),
        ("a+b", "no character of a host"), ("*.example", "no character of a host"),
        ("a|b", "no character of a host"), ("a^b", "no character of a host"),
        ("a<b", "no character of a host"), ("b\u{FC}cher.example", "not in its xn-- form"),
        ("a\u{3002}b", "a full stop that some take for a dot"),
    ]

    @Test(arguments: refused)
    func `a host that clients could read as another, or not at all, is refused`(
        host: String, why: String
    ) {
        for text in [
            "https://\(host)/", "https://\(host)", "http://\(host):8080/x", "HTTPS://\(host)?x",
        ] {
            let error = #expect(throws: PushError.self, "\(why)") { try Endpoint(text) }
            #expect(error?.code == .malformed)
        }
    }

    @Test(
        arguments: [
            ("127.0.0.1", true), ("192.0.2.1:8443", true), ("[::1]", true),
            ("[2001:db8::1]:1", true),
            ("localhost", true), ("LocalHost:8080", true), ("localhost.", true),
            ("a.localhost", true), ("a.b.LOCALHOST.", true), ("acme.example", false),
            ("localhost.example", false), ("notlocalhost", false), ("a-localhost", false),
            ("1.2.3.4.example", false), ("xn--rzte-koa.example", false), ("acme", false),
        ])
    func `an address and localhost are told from the name of a server`(
        authority: String, isLocal: Bool
    ) throws {
        #expect(try Endpoint("https://\(authority)/x").isAddressOrLocalhost == isLocal)
    }

    // MARK: An independent reader

    /// Texts of what addresses are made of, most of them near to one.
    private func addresses(_ parts: [String], by separator: String, seed: UInt64) -> [String] {
        var random = SeededRandom(seed: seed)
        return (0..<1500).map { _ in
            let count = Int.random(in: 1...9, using: &random)
            return (0..<count).map { _ in parts.randomElement(using: &random) ?? "" }
                .joined(separator: separator)
        }
    }

    @Test(.enabled(if: ExternalTool.hasPython))
    func `Python takes the same texts for addresses`() throws {
        let decimal = ["0", "1", "9", "10", "99", "127", "255", "256", "01", "08", "1000", ""]
        let groups = ["0", "1", "ffff", "DB8", "00a1", "12345", "g", "", "", "1.2.3.4", "1.2.3.04"]
        let ipv4 =
            addresses(decimal, by: ".", seed: 1)
            + decimal.flatMap { one in decimal.map { "\(one).2.\($0).4" } }
        let ipv6 =
            addresses(groups, by: ":", seed: 2)
            + (1...9).flatMap { count in
                let full = Array(repeating: "a", count: count).joined(separator: ":")
                return [full, full + "::", "::" + full, full + "::1", full + ":1.2.3.4"]
            }
        let script = """
            import ipaddress, json, sys
            def reads(kind, text):
                try:
                    kind(text)
                    return True
                except ValueError:
                    return False
            four, six = json.load(sys.stdin)
            json.dump([[reads(ipaddress.IPv4Address, text) for text in four],
                [reads(ipaddress.IPv6Address, text) for text in six]], sys.stdout)
            """
        let input = JSON.array([ipv4, ipv6].map { .array($0.map(JSON.string)) })
        let output = try #require(ExternalTool.python.run(["-c", script], input: input.data))
        let reply = try #require(try JSON(parsing: output).array?.map { $0.array ?? [] })
        let hosts = [ipv4, ipv6.map { "[\($0)]" }]
        for (hosts, verdicts) in zip(hosts, reply) {
            #expect(hosts.count == verdicts.count)
            #expect(verdicts.count { $0 == true } > 20 && verdicts.count { $0 == false } > 20)
            for (host, verdict) in zip(hosts, verdicts) {
                #expect(((try? Endpoint("https://\(host)")) != nil) == verdict.bool, "\(host)")
            }
        }
    }

    @Test(.enabled(if: ExternalTool.hasPython))
    func `Python reads the same Punycode`() throws {
        let texts = [
            "é", "ärzte", "straße", "bücher-x", "pãoemaçã", "امارات", "他们为什么不说中文",
            "почемужеонинеговорятпорусски", "3年b組金八先生", "安室奈美恵-with-super-monkeys", "🔑", "a🔑b🔑",
            "\u{10FFFF}", "\u{80}", "\u{D7FF}\u{E000}",
        ]
        let script = """
            import json, sys
            json.dump([t.encode("punycode").decode() for t in json.load(sys.stdin)], sys.stdout)
            """
        let input = JSON.array(texts.map(JSON.string)).data
        let output = try #require(ExternalTool.python.run(["-c", script], input: input))
        let labels = try #require(try JSON(parsing: output).array).map { $0.string ?? "" }
        #expect(labels.count == texts.count)
        for (label, text) in zip(labels, texts) {
            #expect(Punycode.decode(label[...]) == Array(text.unicodeScalars), "\(label)")
        }
    }
}
