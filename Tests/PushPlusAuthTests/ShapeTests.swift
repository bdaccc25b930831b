import IndependentEncodings
import PushCore
import PushPlusAuth
import PushTesting
import Testing

/// Which messages are PlusAuth's at all: step 1 of
/// `docs/vendors/plusauth.md#what-a-context-must-be`.
@Suite struct ShapeTests {
    private func recognizes(_ message: PushMessage) throws -> Bool {
        try PlusAuthHarness().provider.candidate(in: message) != nil
    }

    private var header: String { base64url(#"{"alg":"ES256"}"#) }

    @Test func `three parts with an algorithm in the first are a context`() throws {
        #expect(try recognizes(ContextJWT.message("\(header).e30.AAAA")))
        #expect(try recognizes(ContextJWT.message("\(header).e30.")))
        #expect(try recognizes(ContextJWT.apns("\(header).e30.AAAA")))
        #expect(try recognizes(ContextJWT.apns("\(header).e30.AAAA", nested: true)))
    }

    @Test func `a context of the app's own doesn't hide the one below`() async throws {
        let harness = try await PlusAuthHarness.enrolled()
        let token = try await ContextJWT(harness.key()).token()
        let payload: JSON = ["context": "checkout", "data": ["context": .string(token)]]
        let message = try PushMessage(json: payload.data)
        #expect(harness.provider.candidate(in: message) != nil)
        _ = try await harness.challenge(message)
    }

    @Test func `anything else is somebody else's`() async throws {
        let noAlgorithm = base64url(#"{"typ":"JWT"}"#)
        let tokens = [
            "", "x", ".", "..", "...", header, "\(header).e30", "\(header)..AAAA",
            "\(header).e30.AAAA.AAAA",
            "\(header).e30.AA=A", "\(header).e3!.AAAA", " \(header).e30.AAAA",
            "\(header).e30.AAAA\n", "\(noAlgorithm).e30.AAAA", "\(base64url("[]")).e30.AAAA",
            "\(base64url("x")).e30.AAAA", "\(base64url("\"alg\"")).e30.AAAA", ".e30.AAAA",
            "\(base64url(#"{"alg":"none","alg":"ES256"}"#)).e30.AAAA",
            "\u{1F600}.\u{1F600}.\u{1F600}", "Ａ.e30.AAAA",
        ]
        let harness = try await PlusAuthHarness.enrolled()
        for token in tokens {
            let message = ContextJWT.message(token)
            #expect(harness.provider.candidate(in: message) == nil, "\(token)")
            #expect(try await harness.authenticator.receive(message).isEmpty)
        }
        #expect(harness.observer.observations.isEmpty)
    }

    @Test func `a context that isn't a text, or stands elsewhere, is somebody else's`() throws {
        let token = "\(header).e30.AAAA"
        let payloads: [JSON] = [
            ["context": 7], ["context": .null], ["context": ["jwt": .string(token)]],
            ["context": [.string(token)]], ["data": .string(token)],
            ["data": ["data": ["context": .string(token)]]], ["Context": .string(token)],
            ["aps": ["context": .string(token)]], ["token": .string(token)], [:],
        ]
        for payload in payloads {
            #expect(try !recognizes(PushMessage(json: payload.data)), "\(payload.text)")
        }
        for channel in [.scanned, .link] as [PushMessage.Channel] {
            #expect(try !recognizes(PushMessage(text: token, by: channel)))
        }
    }

    @Test func `recognizing reads no key`() throws {
        let message = try ContextJWT(AccountKey.stranger()).message()
        #expect(try recognizes(message))
    }

    @Test func `up to 4,096 characters are read, and no more`() async throws {
        let harness = try await PlusAuthHarness.enrolled()
        let key = try await harness.key()
        let longest = try padded(ContextJWT(key), to: 4_096)
        _ = try await harness.challenge(ContextJWT.message(longest))
        for length in [4_097, 4_098, 6_000] {
            let context = ContextJWT(key, token: "ctx-\(length)")
            let message = ContextJWT.message(try padded(context, to: length))
            #expect(harness.provider.candidate(in: message) != nil)
            #expect(try await harness.refusal(of: message).code == .malformed)
        }
    }

    /// A context of an exact length; base64url can't give every length, so the header helps.
    private func padded(_ context: ContextJWT, to length: Int) throws -> String {
        for extra in 0..<4 {
            let context = context.with(header: "x", .string(String(repeating: "x", count: extra)))
            let short = try context.with("pad", "").token().count
            let room = (length - short) * 3 / 4
            for count in max(0, room - 4)...room + 4 {
                let pad = String(repeating: "x", count: count)
                let token = try context.with("pad", .string(pad)).token()
                if token.count == length { return token }
            }
        }
        Issue.record("No context of \(length) characters was found.")
        throw NothingThrown()
    }
}
