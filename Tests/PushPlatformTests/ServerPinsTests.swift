import Foundation
import PushCore
import PushPlatform
import Testing

@Suite struct `Pins of hosts` {
    /// Two pins that no other seed has.
    private func pins(_ seed: UInt8) throws -> [ServerPin] {
        try [seed, seed + 100].map { try ServerPin(digest: Data(repeating: $0, count: 32)) }
    }

    private func rule(
        _ host: String, below: Bool = false, _ seed: UInt8 = 1
    ) throws -> ServerPins.Rule {
        try ServerPins.Rule(host: host, includesSubdomains: below, pins: pins(seed))
    }

    @Test func `are none without a rule`() throws {
        #expect(ServerPins().isEmpty)
        #expect(try ServerPins().pins(for: "acme.test") == [])
        #expect(try ServerPins([]) == ServerPins())
    }

    @Test(arguments: [
        ("acme.test", 1), ("ACME.Test", 1), ("acme.test.", 1), ("Acme.Test.", 1),
        ("www.acme.test", 2), ("a.b.www.acme.test", 2), ("deep.www.acme.test", 3),
        ("api.acme.test", 4), ("v1.api.acme.test", 5), ("x.v1.api.acme.test", 5),
        ("xacme.test", 0), ("acme.test.evil", 0), ("test", 0), ("www.other.test", 0),
        ("other.test", 6), ("127.0.0.1", 7), ("127.0.0.1.", 7), ("127.0.0.2", 0), ("::1", 8),
        ("[::1]", 8),
        ("0:0:0:0:0:0:0:1", 8), ("::2", 0), ("::ffff:127.0.0.1", 0), ("x_y.acme.test", 2),
    ])
    func `are those of the most specific rule`(host: String, seed: Int) throws {
        let rules = try ServerPins([
            rule("acme.test", 1), rule("Acme.Test", below: true, 2), rule("deep.www.acme.test", 3),
            rule("api.acme.test", 4), rule("v1.API.acme.test.", below: true, 5),
            rule("other.test", 6), rule("127.0.0.1", 7), rule("[0::1]", 8),
        ])
        let expected = seed == 0 ? [] : Set(try pins(UInt8(seed)))
        #expect(try rules.pins(for: host) == expected)
    }

    @Test func `of a domain cover the domain itself`() throws {
        let rules = try ServerPins([rule("acme.test", below: true)])
        #expect(try rules.pins(for: "acme.test") == Set(pins(1)))
        #expect(try rules.pins(for: "a.b.acme.test") == Set(pins(1)))
        #expect(try rules.pins(for: "test") == [])
    }

    @Test func `are two different ones at least, so that one can be lost`() throws {
        let pin = try pins(1)[0]
        for few in [[], [pin], [pin, pin]] {
            let error = try #require(throws: PushError.self) {
                try ServerPins.Rule(host: "acme.test", pins: few)
            }
            #expect(error.code == .invalidArgument)
            #expect(error.reason.contains("acme.test needs two different pins"))
        }
    }

    @Test func `of one host stand in one rule`() throws {
        for below in [false, true] {
            let error = try #require(throws: PushError.self) {
                try ServerPins([rule("acme.test", below: below), rule("ACME.test.", below: below)])
            }
            #expect(error.code == .invalidArgument && error.reason.contains("acme.test"))
        }
    }

    @Test(arguments: ["127.0.0.1", "::1", "[fe80::1]"])
    func `of an address cover nothing below`(address: String) throws {
        let error = try #require(throws: PushError.self) { try rule(address, below: true) }
        #expect(error.code == .invalidArgument && error.reason.contains("subdomains"))
    }

    @Test(arguments: [
        "", ".", "..", "acme..test", ".acme.test", "acme.test..", "acme test", "acme.test:443",
        "https://acme.test", "acme.test/", "*.acme.test", "user@acme.test", "bücher.test",
        "acme.test\u{0}", "acme。test", "１２７.0.0.1", "[acme.test]", "[::1", "::1]", "fe80::1%1",
        "1::2::3", "127.1", "2130706433", "0x7f000001", "0x7f.0.0.1", "0177.0.0.1",
        "127.0.0.256", "127.0.0.0.1", "acme.1", "acme.0x", "1.2.3.04", "%61cme.test",
        String(repeating: "a", count: 64) + ".test", String(repeating: "a.", count: 127) + "test",
    ])
    func `are for a host in its one plain form`(host: String) throws {
        let error = try #require(throws: PushError.self) { try rule(host) }
        #expect(error.code == .invalidArgument)
        let lookup = try #require(throws: PushError.self) {
            try ServerPins([rule("acme.test")]).pins(for: host)
        }
        #expect(lookup.code == .invalidArgument)
    }
}
