import Foundation
import PushCore
import PushTesting
import Testing

@testable import FictionalVendor

/// JSON that is made to break its reader: outside a signature, inside one, and in a reply.
struct HostileJSONTests {
    struct Hostile: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let bytes: [UInt8]

        init(_ name: String, _ bytes: [UInt8]) {
            testDescription = name
            self.bytes = bytes
        }

        init(_ name: String, _ text: String) { self.init(name, Array(text.utf8)) }
    }

    /// What no reader of ours may take. Each has what makes Acme recognize a message of its own.
    static let hostile: [Hostile] = [
        Hostile(
            "1 MB",
            #"{"acme":"\#(String(repeating: "x", count: 1 << 20))","to":"ada","mac":"0"}"#),
        Hostile(
            "1 MB of white space",
            #"{"acme":"x","to":"ada","mac":"0"\#(String(repeating: " ", count: 1 << 20))}"#),
        Hostile(
            "10,000 arrays deep",
            #"{"acme":"x","deep":"#
                + String(repeating: "[", count: 10_000) + String(repeating: "]", count: 10_000)
                + "}"),
        Hostile(
            "10,000 objects deep",
            String(repeating: #"{"acme":"#, count: 10_000) + "1"
                + String(repeating: "}", count: 10_000)),
        Hostile("10,000 arrays that never end", String(repeating: "[", count: 10_000)),
        Hostile("a duplicate name", #"{"acme":"x","to":"ada","to":"bob","mac":"0"}"#),
        Hostile("a duplicate name, escaped", #"{"acme":"x","to":"ada","\u0074o":"bob"}"#),
        Hostile(
            "a few names of nothing but combining marks",
            #"{"acme":"x","to":"ada","mac":"0""#
                + (0..<14).map { number in
                    ",\"\(String(repeating: #"\u0315\u0316"#, count: 200))\(number)\":0"
                }.joined() + "}"),
        Hostile("a name in two spellings", "{\"acme\":\"x\",\"\u{E9}\":0,\"e\u{301}\":0}"),
        Hostile("NUL in a text", Array(#"{"acme":"x"#.utf8) + [0] + Array(#"","to":"ada"}"#.utf8)),
        Hostile("NUL behind the end", Array(#"{"acme":"x","to":"ada"}"#.utf8) + [0]),
        Hostile("NUL alone", [0]),
        Hostile("a lone high surrogate", #"{"acme":"\ud800","to":"ada"}"#),
        Hostile("a lone low surrogate", #"{"acme":"\udc00","to":"ada"}"#),
        Hostile(
            "a surrogate in UTF-8", Array(#"{"acme":""#.utf8) + [0xED, 0xA0, 0x80, 0x22, 0x7D]),
        Hostile("overlong UTF-8", Array(#"{"acme":""#.utf8) + [0xC0, 0xAF, 0x22, 0x7D]),
        Hostile("nothing", [UInt8]()),
    ]

    @Test(arguments: hostile)
    func `a hostile message is refused as malformed before any provider sees it`(
        _ hostile: Hostile
    ) throws {
        let error = try #require(throws: PushError.self) {
            try PushMessage(json: Data(hostile.bytes))
        }
        #expect(error.code == .malformed)
        #expect("\(error)".utf8.count < 200)
    }

    @Test(arguments: hostile)
    func `hostile claims are refused as malformed though they are signed, and store nothing`(
        _ hostile: Hostile
    ) async throws {
        // Only what a JSON text can carry gets as far as a signature.
        guard let text = String(validUTF8: hostile.bytes), text.utf8.count < 60_000
        else { return }
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        let before = try await harness.rawStore()
        let message = try AcmeWire.push(text: text, to: "ada")
        #expect(await code { try await authenticator.receive(message) } == .malformed)
        #expect(try await harness.rawStore() == before)
        #expect(harness.observer.observations.map(\.kind) == [.refused(.malformed)])
        #expect(try await authenticator.records().isEmpty)
    }

    @Test(arguments: hostile)
    func `a hostile list of what waits is refused as malformed, and stores nothing`(
        _ hostile: Hostile
    ) async throws {
        guard !hostile.bytes.isEmpty else { return }
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        let before = try await harness.rawStore()
        await harness.server.say(Data(hostile.bytes), at: "/pending")
        #expect(await code { try await authenticator.pending(for: .ada) } == .malformed)
        #expect(try await harness.rawStore() == before)
        #expect(try await authenticator.pending().failures.mapValues(\.code) == [.ada: .malformed])
    }

    @Test(arguments: hostile)
    func `a hostile reply to an answer loses no decision`(_ hostile: Hostile) async throws {
        guard !hostile.bytes.isEmpty else { return }
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        _ = try await authenticator.receive(try AcmeWire.ask("1"))
        await harness.server.say(Data(hostile.bytes), at: "/answer")
        #expect(await code { try await authenticator.deny(.ada("1")) } == .malformed)
        #expect(
            try await authenticator.record(of: .ada("1"))?.state == .decided(.deny(.unexpected)))
        await harness.server.say(nil, at: "/answer")
        #expect(try await authenticator.resume() == [.ada("1"): .delivered])
    }

    @Test func `a name with an escaped NUL is a name of its own, and opens no other's challenge`()
        async throws
    {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        _ = try await authenticator.receive(try AcmeWire.ask("1"))
        _ = try await authenticator.receive(try AcmeWire.ask("1\u{0}2"))
        #expect(
            Set(try await authenticator.records().map(\.id.name)) == ["1", "1\u{0}2"])
        #expect(try await authenticator.deny(.ada("1\u{0}2")) == .delivered)
        #expect(try await authenticator.record(of: .ada("1"))?.state == .open)
    }

    @Test func `names that Unicode calls equal are two challenges`() async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        let composed = "caf\u{E9}"
        let decomposed = "cafe\u{301}"
        _ = try await authenticator.receive(try AcmeWire.ask(composed))
        let other = try await authenticator.receive(try AcmeWire.ask(decomposed))
        #expect(other.map(\.isNew) == [true])
        #expect(try await authenticator.records().count == 2)
    }
}
