import Foundation
import PushCore
import PushPlusAuth
import PushTesting
import Testing

/// What a signed payload must say: steps 5, 6 and 9 of
/// `docs/vendors/plusauth.md#what-a-context-must-be`.
@Suite struct ClaimTests {
    private func expect(
        _ code: PushError.Code, _ context: ContextJWT, in harness: PlusAuthHarness,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let error = try await harness.refusal(of: context.message())
        #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
    }

    // MARK: Step 5: hard requirements

    @Test(arguments: ["exp", "iat", "context_token", "type"])
    func `what is required must be there and of its type`(name: String) async throws {
        let harness = try await PlusAuthHarness.enrolled()
        let key = try await harness.key()
        try await expect(.malformed, ContextJWT(key).with(name, nil), in: harness)
        let wrong: [JSON] = [.null, true, [], [:], ["x"]]
        for value in wrong {
            try await expect(.malformed, ContextJWT(key).with(name, value), in: harness)
            try await expect(.malformed, .code(key).with(name, value), in: harness)
        }
        let swapped: JSON = ["exp", "iat"].contains(name) ? "1702250257" : 7
        try await expect(.malformed, ContextJWT(key).with(name, swapped), in: harness)
    }

    @Test(arguments: ["https://other.example", "", [], ["x"], 7] as [JSON])
    func `a context for an audience is another's`(audience: JSON) async throws {
        let harness = try await PlusAuthHarness.enrolled()
        try await expect(.malformed, ContextJWT(harness.key()).with("aud", audience), in: harness)
        _ = try await harness.challenge(ContextJWT(harness.key()).with("aud", .null))
    }

    @Test func `a context that doesn't hold yet is refused`() async throws {
        let harness = try await PlusAuthHarness.enrolled()
        let now = Int64(harness.clock.now.timeIntervalSince1970)
        let key = try await harness.key()
        try await expect(
            .malformed, ContextJWT(key).with("nbf", .integer(now + 3600)), in: harness)
        try await expect(.malformed, ContextJWT(key).with("nbf", "soon"), in: harness)
        _ = try await harness.challenge(ContextJWT(key).with("nbf", .integer(now)))
    }

    @Test func `an empty bearer is none`() async throws {
        let harness = try await PlusAuthHarness.enrolled()
        try await expect(.malformed, ContextJWT(harness.key(), token: ""), in: harness)
    }

    @Test(arguments: ["response", "selected_value", "reject_reason"])
    func `an answer of ours that comes back is no context`(name: String) async throws {
        let harness = try await PlusAuthHarness.enrolled()
        let key = try await harness.key()
        for value in ["accepted", "07", "ignore", .null, 7] as [JSON] {
            try await expect(.malformed, ContextJWT(key).with(name, value), in: harness)
            try await expect(.malformed, .code(key).with(name, value), in: harness)
        }
    }

    @Test func `the same words elsewhere than at the top are fine`() async throws {
        let harness = try await PlusAuthHarness.enrolled()
        let context = try await ContextJWT(harness.key())
            .with("info", ["response": "accepted", "reject_reason": "ignore"])
        _ = try await harness.challenge(context)
    }

    @Test(arguments: [
        " ", "x", "[]", "7", "\"x\"", "null", "{", "{} {}", "{\"a\":1,\"a\":2}",
        "{\"type\":\"prompt\",\"type\":\"code\"}", "\u{FEFF}{}",
    ])
    func `a payload that is no strict JSON object is malformed`(payload: String) async throws {
        let harness = try await PlusAuthHarness.enrolled()
        let message = try await ContextJWT(harness.key()).message(payload: payload)
        #expect(try await harness.refusal(of: message).code == .malformed)
    }

    @Test func `a name that comes twice is malformed, even where all is there`() async throws {
        let harness = try await PlusAuthHarness.enrolled()
        let payload = """
            {"exp":1702250257,"iat":1702243057,"context_token":"a","type":"prompt",\
            "context_token":"b"}
            """
        let message = try await ContextJWT(harness.key()).message(payload: payload)
        #expect(try await harness.refusal(of: message).code == .malformed)
    }

    // MARK: Step 6: time

    @Test func `fractions of a second are cut off`() async throws {
        let harness = try await PlusAuthHarness.enrolled()
        let payload = """
            {"exp":1702250257.9,"iat":1702243057.9,"context_token":"a","type":"prompt"}
            """
        let challenge = try await harness.challenge(
            ContextJWT(harness.key()).message(payload: payload))
        let context = try #require(challenge.details(as: PushContext.self))
        #expect(context.exp == Date(timeIntervalSince1970: 1_702_250_257))
        #expect(context.iat == Date(timeIntervalSince1970: 1_702_243_057))
    }

    @Test func `a context lasts a day at most, and more than no time`() async throws {
        let harness = try await PlusAuthHarness.enrolled()
        let key = try await harness.key()
        func lasting(_ seconds: Int64) -> ContextJWT {
            ContextJWT(key, token: "lasting-\(seconds)")
                .with("exp", .integer(WorkedExample.issued + seconds))
        }
        for seconds in [0, -1, -7_200, 86_401, 90_000, 1 << 40] as [Int64] {
            try await expect(.malformed, lasting(seconds), in: harness)
        }
        for seconds in [60, 7_200, 86_400] as [Int64] {
            _ = try await harness.challenge(lasting(seconds))
        }
    }

    @Test func `a context isn't from the future, but clocks differ by a minute`() async throws {
        let harness = try await PlusAuthHarness.enrolled()
        let key = try await harness.key()
        func issued(in seconds: Int64) -> ContextJWT {
            let issued = Int64(WorkedExample.now.timeIntervalSince1970) + seconds
            return ContextJWT(key, token: "issued-\(seconds)")
                .with("iat", .integer(issued)).with("exp", .integer(issued + 7_200))
        }
        // The server has told its time to the second, so a second either way isn't certain.
        for seconds in [63, 600, 1 << 33] as [Int64] {
            try await expect(.malformed, issued(in: seconds), in: harness)
        }
        for seconds in [-600, 0, 30, 60] as [Int64] {
            _ = try await harness.challenge(issued(in: seconds))
        }
    }

    @Test(arguments: ["iat", "exp"])
    func `no number is too big to be read`(name: String) async throws {
        let harness = try await PlusAuthHarness.enrolled()
        for number in ["1e300", "-1e300", "9223372036854775807", "-9223372036854775808", "1e-300"] {
            var claims = try await ContextJWT(harness.key()).claims
            claims[name] = "@"
            let payload = JSON.object(claims).text.replacingOccurrences(of: "\"@\"", with: number)
            let message = try await ContextJWT(harness.key()).message(payload: payload)
            #expect(try await harness.refusal(of: message).code == .malformed)
        }
    }

    @Test func `the device's own clock doesn't decide where the server's is known`() async throws {
        for offset in [-40_000.0, 40_000] {
            let harness = try await PlusAuthHarness.enrolled()
            harness.clock.set(WorkedExample.now + offset)
            let message = try await ContextJWT(harness.key()).message()
            let reception = try #require(await harness.authenticator.receive(message).first)
            guard case .notice(_, .valid) = reception.kind else {
                Issue.record("The server's time is known, and it isn't over: \(reception.kind).")
                return
            }
        }
    }

    @Test func `where the server's time isn't known, the device's decides`() async throws {
        let harness = try PlusAuthHarness()
        await harness.server.hideTime()
        try await harness.enroll()
        let key = try await harness.key()
        func issued(in seconds: Int64) -> ContextJWT {
            let issued = Int64(WorkedExample.now.timeIntervalSince1970) + seconds
            return ContextJWT(key, token: "issued-\(seconds)").with("iat", .integer(issued))
        }
        try await expect(.malformed, issued(in: 63), in: harness)
        _ = try await harness.challenge(issued(in: 59))
    }

    @Test(arguments: ["a\r\nEvil: 1", "a\nb", "a\u{0}b", "a b", "\u{7F}"])
    func `a bearer that would break the header is never sent`(token: String) async throws {
        let harness = try await PlusAuthHarness.enrolled()
        let message = try await ContextJWT(harness.key(), token: token).message()
        do {
            let challenge = try await harness.challenge(message)
            _ = try await harness.authenticator.resolve(challenge, with: .approve)
        } catch {
            #expect(error is PushError)
        }
        for answer in await harness.answers() {
            let field = try answer.field("Authorization") ?? ""
            #expect(field == "Bearer \(token)")
            #expect(field.utf8.allSatisfy { 0x20...0x7E ~= $0 })
        }
    }

    @Test func `a local cap shortens a challenge, and never lengthens it`() async throws {
        for (cap, expiry) in [
            (Duration.seconds(600), WorkedExample.issued + 600),
            (.seconds(86_400), WorkedExample.expiry),
        ] {
            let harness = try await PlusAuthHarness.enrolled(.ec { $0.maxChallengeAge = cap })
            let challenge = try await harness.challenge(ContextJWT(harness.key()))
            #expect(challenge.expiry == Date(timeIntervalSince1970: Double(expiry)))
            let exp = challenge.details(as: PushContext.self)?.exp
            #expect(exp == Date(timeIntervalSince1970: Double(WorkedExample.expiry)))
        }
    }

    // MARK: Step 9: types

    @Test(arguments: ["biometric", "Code", "PROMPT", "code ", "prompt2"])
    func `a type that isn't known is told as such`(type: String) async throws {
        let harness = try await PlusAuthHarness.enrolled()
        let message = try await ContextJWT.code(harness.key()).with("type", .string(type)).message()
        let reception = try #require(await harness.authenticator.receive(message).first)
        guard case .incompatible(let incompatible) = reception.kind else {
            Issue.record("It's genuine, but not understood.")
            return
        }
        #expect(incompatible.kind == type)
        #expect(!incompatible.isIgnorable)
    }

    @Test func `a code has two to ten different values`() async throws {
        let harness = try await PlusAuthHarness.enrolled()
        let key = try await harness.key()
        let ten = (10..<20).map { "\($0)" }
        let bad = [
            [], ["07"], ten + ["20"], ["07", "07"], ["07", "12", "07"], ["07", ""], ["", "07"],
        ]
        for values in bad { try await expect(.malformed, .code(key, values), in: harness) }
        for (index, values) in [["07", "12"], ["7", "07"], ten, ["A b", "ä"]].enumerated() {
            let challenge = try await harness.challenge(.code(key, values, token: "v-\(index)"))
            #expect(challenge.prompt == .choose(values))
        }
    }

    @Test func `numbers among the values become text`() async throws {
        let harness = try await PlusAuthHarness.enrolled()
        let context = try await ContextJWT.code(harness.key()).with("values", [83, "07", 12])
        #expect(try await harness.challenge(context).prompt == .choose(["83", "07", "12"]))
    }

    @Test(
        arguments: [
            .null, "07", 7, true, ["07": "12"], ["07", .null], ["07", true], ["07", ["12"]],
            ["07", [:]], [83, "83"],
        ] as [JSON])
    func `anything else among the values is malformed`(values: JSON) async throws {
        let harness = try await PlusAuthHarness.enrolled()
        try await expect(.malformed, .code(harness.key()).with("values", values), in: harness)
    }

    @Test func `a prompt needs no values, and ignores them`() async throws {
        let harness = try await PlusAuthHarness.enrolled()
        let key = try await harness.key()
        for (index, values) in [["07", "12"], .null, 7, []].enumerated()
            as EnumeratedSequence<[JSON]>
        {
            let context = ContextJWT(key, token: "p-\(index)").with("values", values)
            #expect(try await harness.challenge(context).prompt == .approve)
        }
    }
}
