import Crypto
import Foundation
import PushCore
import PushTesting
import PushXignIn
import Testing

/// What a push must be, step by step: `docs/vendors/xignin-oxrw.md#how-a-device-reads-it`.
@Suite struct PushPayloadTests: PushSuite {
    let sent: SentPush

    init() async throws { sent = try await SentPush() }

    // MARK: Steps 1 and 2

    @Test(arguments: [
        [:], ["gcm.message_id": "1"], ["acme": "1", "payload": "x"], ["oxrw_msg": "x"],
        ["OXRW": "1"], ["data": "oxrw"],
    ])
    func `without the key it is nobody's of ours`(data: [String: String]) async throws {
        #expect(try await harness.phone.handle(data) == nil)
        #expect(harness.phone.provider.candidate(in: PushMessage(fcm: data)) == nil)
        #expect(try await harness.phone.receive(data).isEmpty)
    }

    @Test func `from the key on it is ours, and another envelope an error`() async throws {
        let token = try push.token(key)
        for envelope in ["2", "", "01", "1.0", " 1", "oxrw"] {
            let data = Push.data(token, envelope: envelope)
            #expect(await code(data) == .unexpectedError, "\(envelope)")
        }
        #expect(await code(["oxrw": "1"]) == .unexpectedError)
        #expect(await code(["oxrw": "1", "other": token]) == .unexpectedError)
    }

    @Test func `a value that is no string is an error`() async throws {
        let values: [any Sendable] = [1, true, ["x"], ["x": "y"]]
        for value in values {
            let userInfo: [AnyHashable: Any] = ["oxrw": "1", "oxrw_msg": value]
            await #expect(throws: XignSdkError.self) {
                _ = try await harness.phone.push.handleMessage(userInfo: userInfo)
            }
        }
        let number: [AnyHashable: Any] = ["oxrw": 1, "oxrw_msg": try push.token(key)]
        await #expect(throws: XignSdkError.self) {
            _ = try await harness.phone.push.handleMessage(userInfo: number)
        }
    }

    @Test func `beside Apple's own members the two keys are found`() async throws {
        let userInfo: [AnyHashable: Any] = [
            "aps": ["content-available": 1] as [String: any Sendable], "gcm.message_id": "1",
            "oxrw": "1", "oxrw_msg": try push.token(key),
        ]
        let result = try await harness.phone.push.handleMessage(userInfo: userInfo)
        guard case .authentication = result else {
            Issue.record("It is an authentication.")
            return
        }
    }

    @Test func `anything but three parts of strict base64url is an error`() async throws {
        let token = try push.token(key)
        let parts = token.split(separator: ".").map(String.init)
        let bad = [
            "", ".", "..", "x", "\(parts[0]).\(parts[1])", "\(token).x", "\(token).",
            "\(parts[0])=.\(parts[1]).\(parts[2])", "\(parts[0]).\(parts[1])=.\(parts[2])",
            "\(token)=", "\(token)==", " \(token)", "\(token)\n", ".\(parts[1]).\(parts[2])",
            "\(parts[0])..\(parts[2])", parts.joined(separator: "+"),
            "\(parts[0]).\(parts[1]).\(parts[2].replacingOccurrences(of: "-", with: "+"))+",
        ]
        for text in bad { #expect(await code(Push.data(text)) == .unexpectedError, "\(text)") }
    }

    @Test func `non-zero unused bits are an error, in every part`() async throws {
        let token = try push.token(key)
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        for part in 0..<3 {
            var parts = token.split(separator: ".").map(String.init)
            guard parts[part].count % 4 != 0, let last = parts[part].last,
                let index = alphabet.firstIndex(of: last)
            else { continue }
            parts[part] = parts[part].dropLast() + String(alphabet[index + 1])
            #expect(await code(Push.data(parts.joined(separator: "."))) == .unexpectedError)
        }
    }

    @Test func `more than 3500 characters are an error, signed or not`() async throws {
        let room = String(repeating: "x", count: 3000)
        let long = try push.with("more", .string(room)).data(key)
        #expect(try #require(long["oxrw_msg"]).count > 3500)
        #expect(await code(long) == .unexpectedError)
        let short = try push.with("more", .string(String(room.prefix(1500)))).data(key)
        #expect(try #require(short["oxrw_msg"]).count < 3500)
        #expect(await code(short) == nil)
    }

    @Test func `a header that isn't strict JSON is an error`() async throws {
        let changes: [(String) -> String] = [
            { "\u{FEFF}" + $0 }, { $0 + "x" }, { $0.dropLast() + #","alg":"ES256"}"# },
            { $0.dropLast() + #","x":1.5}"# }, { $0.dropLast() + #","x":1e3}"# },
            { _ in "[]" }, { _ in "7" }, { $0.dropLast() + #","x":9007199254740992}"# },
            { $0.dropLast() + #","x":[[[[[[[[1]]]]]]]]}"# },
        ]
        for (index, change) in changes.enumerated() {
            #expect(await code(try garbled(header: change)) == .unexpectedError, "\(index)")
        }
    }

    // MARK: Step 3

    @Test(arguments: ["none", "None", "HS256", "RS256", "ES384", "ES512", "es256", ""])
    func `another algorithm is an invalid signature, before anything else is looked at`(
        algorithm: String
    ) async throws {
        #expect(try await code(push.with(header: "alg", .string(algorithm))) == .invalidSignature)
        let worse = push.with(header: "alg", .string(algorithm)).with(header: "typ", "x")
            .with(header: "idm", "idm-nobody").with(header: "crit", ["x"])
        #expect(try await code(worse) == .invalidSignature)
    }

    @Test func `a missing algorithm, or none that is text, isn't taken`() async throws {
        for value in [nil, 7, ["ES256"], .null] as [JSON?] {
            #expect(try await code(push.with(header: "alg", value)) != nil)
        }
    }

    @Test func `without a signature it is invalid, whatever the algorithm says`() async throws {
        let parts = try push.token(key).split(separator: ".")
        #expect(await code(Push.data("\(parts[0]).\(parts[1]).")) == .invalidSignature)
        let none = try push.with(header: "alg", "none").token(key).split(separator: ".")
        #expect(await code(Push.data("\(none[0]).\(none[1]).")) == .invalidSignature)
    }

    @Test(arguments: ["jku", "x5u", "jwk", "x5c", "crit"])
    func `a forbidden member of the header is an error`(name: String) async throws {
        let values: [JSON] = ["x", ["x"], .object(key.publicKey.jwk), .null]
        for value in values {
            #expect(try await code(push.with(header: name, value)) == .unexpectedError)
        }
    }

    @Test(arguments: ["oxrw-req+jwt", "oxrw-res+jwt", "oxrw-asr+jwt", "oxrw-bio+jwt", "JWT", ""])
    func `another purpose's token is no push`(type: String) async throws {
        #expect(try await code(push.with(header: "typ", .string(type))) == .unexpectedError)
    }

    @Test(arguments: ["typ", "kid", "idm"])
    func `a member of the header that is missing or no text is an error`(name: String)
        async throws
    {
        for value in [nil, .null, 7, true, ["x"]] as [JSON?] {
            #expect(try await code(push.with(header: name, value)) == .unexpectedError)
        }
    }

    // MARK: Steps 4 and 5

    @Test func `a manager nobody knows is told before the signature is looked at`() async throws {
        let foreign = push.with(header: "idm", "idm-nobody")
        #expect(try await code(foreign) == .identityManagerNotPersonalized)
        #expect(await code(try foreign.data(SigningKey())) == .identityManagerNotPersonalized)
    }

    @Test func `the payload isn't read before the signature was verified`() async throws {
        let bad = push.with("iss", "idm-other").with("exp", 0).with("pid", nil)
        #expect(await code(try bad.data(SigningKey())) == .invalidSignature)
        let garbage = try Token.signed(JSON.object(push.header).text, "hello", by: SigningKey())
        #expect(await code(Push.data(garbage)) == .invalidSignature)
    }

    @Test func `an unknown key's name is an invalid signature, whoever signed`() async throws {
        let other = SigningKey()
        let named = push.with(header: "kid", .string(other.publicKey.thumbprint))
        #expect(await code(try named.data(other)) == .invalidSignature)
        #expect(await code(try named.data(key)) == .invalidSignature)
        #expect(await code(try push.data(other)) == .invalidSignature)
    }

    @Test func `one manager's key never verifies another's push`() async throws {
        let time = harness.manager.time
        let other = Manager("idm-demo-2", host: "other.xignin.example", time: time)
        let phone = try Phone([harness.manager, other], store: harness.phone.store)
        try await phone.enroll(await other.link())
        let theirs = try await phone.activation(at: 1)
        let pid = await other.begin()
        let genuine = try #require(await other.outbox.first?.push)
        #expect(try await phone.handle(genuine.data(other.key))?.idmIdentifier == "idm-demo-2")
        #expect(try await phone.handle(push.data(key))?.idmIdentifier == WorkedExample.idm)
        let crossed = [
            try genuine.data(key),
            try genuine.with(header: "kid", push.header["kid"]).data(key),
            try push.with(header: "idm", "idm-demo-2").data(key),
            try push.with(header: "idm", "idm-demo-2").with("iss", "idm-demo-2")
                .with("aud", .string(theirs)).with("pid", .string(pid)).data(key),
        ]
        for data in crossed {
            #expect(await phone.refusal(of: data)?.code == .invalidSignature)
        }
    }
}
