import Crypto
import Foundation
import HTTPTypes
import IndependentEncodings
import PushCore
import PushTesting
import PushXignInSimulator
import Testing

/// What every request of a device must prove, in which order, and what every answer proves.
struct ChannelTests {
    private let bench = Bench()

    private func keys(
        _ phone: Phone, change: (inout Draft) -> Void = { _ in }
    ) async throws -> Answer {
        try await bench.ask(
            phone, .get, "activations/\(phone.activation)/manager-keys", change: change)
    }

    @Test func `a good request gets an answer that names it and is signed`() async throws {
        let answer = try await keys(try await bench.personalized())
        #expect(answer.status == 200)
        #expect(answer.contentType == "application/jose")
        #expect(answer.isSigned)
    }

    @Test func `a request without a token gets an answer that nobody signed`() async throws {
        let phone = try await bench.personalized()
        let draft = bench.draft(phone, .get, "activations/\(phone.activation)/manager-keys", Data())
        let good = try #require(try draft.request().headerFields[.authorization])
        let token = String(good.dropFirst(5))
        let parts = token.split(separator: ".").map(String.init)
        let texts = [
            nil, "", "OXRW ", "Bearer \(token)", "OXRW a.b.c", "OXRW \(parts[0]).\(parts[1])",
            "OXRW \(token).x", "OXRW \(token)=", "OXRW \(parts[0]).\(parts[1]).",
        ]
        for text in texts {
            var request = try draft.request()
            request.headerFields[.authorization] = text
            let answer = try await bench.send(request, Data())
            #expect(answer.status == 400)
            #expect(!answer.isSigned)
        }
    }

    @Test(arguments: [
        JSON.object(["alg": "none"]), ["alg": "HS256"], ["typ": "oxrw-asr+jwt"], ["typ": nil],
        ["kid": nil], ["kid": 1], ["jku": "https://evil.example"], ["crit": ["b64"]],
        ["jwk": [:]], ["x5u": ""], ["x5c": []],
    ])
    func `a header that chooses its own rules is refused`(change: JSON) async throws {
        let phone = try await bench.personalized()
        var header: JSON.Object = [
            "alg": "ES256", "typ": "oxrw-req+jwt",
            "kid": .string(thumbprint(phone.key.publicKey)),
        ]
        for member in change.object?.members ?? [] {
            header[member.name] = member.value == .null ? nil : member.value
        }
        let answer = try await keys(phone) { $0.header = .object(header) }
        #expect([400, 401].contains(answer.status))
        #expect(answer.error == nil || answer.error == "invalid_device_signature")
        #expect(answer.isSigned == (answer.status == 401))
    }

    @Test func `claims that aren't strict JSON are refused, whoever signed them`() async throws {
        let phone = try await bench.personalized()
        for extra in [#""iat":1.5"#, #""x":1e3"#, #""iss":"a""#, #""x":9007199254740992"#] {
            var draft = bench.draft(
                phone, .get, "activations/\(phone.activation)/manager-keys", Data())
            if extra.hasPrefix(#""iat""#) { draft.claims["iat"] = nil }
            let text = JSON.object(draft.claims).text.dropLast() + "," + extra + "}"
            let header: JSON = [
                "alg": "ES256", "typ": "oxrw-req+jwt",
                "kid": .string(thumbprint(phone.key.publicKey)),
            ]
            let signed = base64url(header.data) + "." + base64url(Data(text.utf8))
            let signature = try phone.key.signature(for: Data(signed.utf8)).rawRepresentation
            var request = try draft.request()
            request.headerFields[.authorization] = "OXRW \(signed).\(base64url(signature))"
            let answer = try await bench.send(request, Data())
            #expect(answer.status == 400)
            #expect(!answer.isSigned)
        }
    }

    @Test func `a request of an activation that doesn't exist is told so, signed`() async throws {
        var phone = try await bench.personalized()
        phone.activation = "act-unknown"
        let answer = try await keys(phone)
        #expect(answer.verdict == "404 activation_unknown")
        #expect(answer.isSigned)
    }

    @Test func `another key's signature is refused`() async throws {
        let phone = try await bench.personalized()
        let stranger = try Phone.key("stranger")
        #expect(
            try await keys(phone) { $0.key = stranger }.verdict == "401 invalid_device_signature")
        let claimed: JSON = [
            "alg": "ES256", "typ": "oxrw-req+jwt",
            "kid": .string(thumbprint(phone.key.publicKey)),
        ]
        let answer = try await keys(phone) {
            $0.key = stranger
            $0.header = claimed
        }
        #expect(answer.verdict == "401 invalid_device_signature")
        let misnamed: JSON = [
            "alg": "ES256", "typ": "oxrw-req+jwt", "kid": .string(thumbprint(stranger.publicKey)),
        ]
        #expect(
            try await keys(phone) { $0.header = misnamed }.verdict
                == "401 invalid_device_signature")
    }

    @Test(arguments: [
        ("aud", JSON.string("idm-other")), ("htu", "/oxrw/v1/other"), ("htm", "POST"),
        ("bh", "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFV"), ("aud", .null), ("bh", .null),
    ])
    func `a signature for another manager, path, method or body is refused`(
        name: String, value: JSON
    ) async throws {
        let phone = try await bench.personalized()
        let answer = try await keys(phone) { $0.claims[name] = value }
        #expect(answer.verdict == "401 invalid_device_signature")
    }

    @Test func `a body that was exchanged on the way is refused`() async throws {
        let phone = try await bench.personalized()
        let answer = try await bench.ask(
            phone, .put, "activations/\(phone.activation)/push-token",
            ["token": .null, "platform": "test"]
        ) { $0.sentBody = Data(#"{"token":"evil","platform":"test"}"#.utf8) }
        #expect(answer.verdict == "401 invalid_device_signature")
    }

    @Test(arguments: [(-61, false), (-60, true), (60, true), (61, false)])
    func `a minute's difference between the clocks is allowed`(
        offset: Int64, isAllowed: Bool
    ) async throws {
        let phone = try await bench.personalized()
        let time = bench.now + offset
        let answer = try await keys(phone) {
            $0.claims["iat"] = .number(.init(time))
            $0.claims["exp"] = .number(.init(time + 60))
        }
        #expect(answer.verdict == (isAllowed ? "200" : "401 clock_skew"))
    }

    @Test func `a request whose end isn't within a minute is malformed`() async throws {
        let phone = try await bench.personalized()
        for offset: Int64 in [61, 0, -1] {
            let end = bench.now + offset
            let answer = try await keys(phone) { $0.claims["exp"] = .number(.init(end)) }
            #expect(answer.verdict == "400 malformed_request")
        }
        for name in ["iat", "exp"] {
            let answer = try await keys(phone) { $0.claims[name] = "1767225600" }
            #expect(answer.verdict == "400 malformed_request")
        }
    }

    @Test func `a request is taken once, while it could still be in time`() async throws {
        let phone = try await bench.personalized()
        let draft = bench.draft(
            phone, .get, "activations/\(phone.activation)/manager-keys", Data())
        #expect(try await bench.send(draft).status == 200)
        #expect(try await bench.send(draft).verdict == "401 replayed_request")
        var again = draft
        let jti = draft.claims["jti"] ?? .null
        bench.clock.advance(by: .seconds(180))
        again = bench.draft(phone, .get, "activations/\(phone.activation)/manager-keys", Data())
        again.claims["jti"] = jti
        #expect(try await bench.send(again).verdict == "401 replayed_request")
        bench.clock.advance(by: .seconds(1))
        again = bench.draft(phone, .get, "activations/\(phone.activation)/manager-keys", Data())
        again.claims["jti"] = jti
        #expect(try await bench.send(again).status == 200)
    }

    @Test func `what isn't the device's doesn't use its number up`() async throws {
        let phone = try await bench.personalized()
        let stranger = try Phone.key("stranger")
        var draft = bench.draft(
            phone, .get, "activations/\(phone.activation)/manager-keys", Data())
        draft.key = stranger
        #expect(try await bench.send(draft).status == 401)
        draft.key = phone.key
        #expect(try await bench.send(draft).status == 200)
    }

    @Test func `two devices may use the same number`() async throws {
        for label in ["one", "two"] {
            let phone = try await bench.personalized(label: label)
            #expect(try await keys(phone) { $0.claims["jti"] = "same" }.status == 200)
        }
    }

    @Test(
        arguments: [
            (("1.0.0", "1.0.0"), "1.0.0"), (("1.0.0", "1.5.0"), "1.2.0"),
            (("1.1.0", "9.0.0"), "2.0.0"),
            (("0.0.1", "0.9.99999"), nil), (("2.0.1", "3.0.0"), nil),
        ] as [((String, String), String?)])
    func `the highest version in common is chosen, else what is needed is said`(
        range: (String, String), chosen: String?
    ) async throws {
        let bench = Bench {
            $0.versions = [.init(1, 2, 0), .init(2, 0, 0), .init(1, 0, 0)]
        }
        let phone = try await bench.personalized()
        let (_, pushes) = try await bench.login()
        let answer = try await bench.ask(
            phone, .post, "processes/\(pushes[0].process)/initialization",
            ["message_jti": pushes[0].claims["jti"] ?? .null]
        ) { $0.claims["api"] = ["min": .string(range.0), "max": .string(range.1)] }
        if let chosen {
            #expect(answer.data["api"]?.string == chosen)
            // Fixed for the process, whatever the device says later.
            #expect(try await bench.initialize(phone, pushes[0]).data["api"]?.string == chosen)
        } else {
            #expect(answer.verdict == "426 api_version_unsupported")
            #expect(answer.data["min_api"] == "1.0.0")
        }
    }

    @Test func `a range that is none is malformed`() async throws {
        let phone = try await bench.personalized()
        let wrong: [JSON] = [
            .null, ["min": "1.0.0"], ["min": "1.0", "max": "1.0.0"],
            ["min": "01.0.0", "max": "1.0.0"], ["min": "1.0.0", "max": "1.0.100000"],
            ["min": "2.0.0", "max": "1.0.0"], ["min": "1.0.0", "max": "+1.0.0"],
            ["min": "1.0.0", "max": "1.0.0.0"], ["min": "1.0.0", "max": "1..0"],
        ]
        for range in wrong {
            let answer = try await keys(phone) { $0.claims["api"] = range }
            #expect(answer.verdict == "400 malformed_request", "\(range.text)")
        }
    }

    /// Each request has the faults of all that follow it: the first named is the one reported.
    @Test func `checks come in the order the format says`() async throws {
        let phone = try await bench.personalized()
        var draft = bench.draft(phone, .post, "processes/prc-none/reject", Data("?".utf8))
        let used = draft.claims["jti"] ?? .null
        _ = try await bench.send(draft)
        draft.claims["api"] = ["min": "9.0.0", "max": "9.0.0"]
        draft.claims["iat"] = .number(.init(bench.now - 100))
        draft.claims["exp"] = .number(.init(bench.now - 40))
        draft.claims["aud"] = "idm-other"
        draft.claims["jti"] = used
        #expect(try await bench.send(draft).error == "invalid_device_signature")
        draft.claims["aud"] = .string(phone.idm)
        #expect(try await bench.send(draft).error == "clock_skew")
        draft.claims["iat"] = .number(.init(bench.now))
        draft.claims["exp"] = .number(.init(bench.now + 60))
        #expect(try await bench.send(draft).error == "replayed_request")
        draft.claims["jti"] = "req-new"
        #expect(try await bench.send(draft).error == "api_version_unsupported")
        draft.claims["jti"] = "req-newer"
        draft.claims["api"] = ["min": "1.0.0", "max": "1.0.0"]
        #expect(try await bench.send(draft).error == "malformed_request")
    }

    @Test func `a path or method the channel doesn't have gets an answer that nobody signed`()
        async throws
    {
        let phone = try await bench.personalized()
        let wrong: [(HTTPRequest.Method, String)] = [
            (.get, "personalizations"), (.post, "processes/a"), (.post, "processes/a/start/"),
            (.post, "processes/a/cancel"), (.get, "activations/\(phone.activation)"),
            (.put, "activations/\(phone.activation)/push-token?x"), (.post, ""),
        ]
        for (method, path) in wrong {
            let answer = try await bench.ask(phone, method, path)
            #expect(answer.status == 400, "\(method) \(path)")
            #expect(!answer.isSigned)
        }
    }

    @Test func `a forced status comes before any look at the request`() async throws {
        let phone = try await bench.personalized()
        await bench.manager.force(status: 503, times: 2)
        for status in [503, 503, 200] { #expect(try await keys(phone).status == status) }
    }

    @Test func `exchanges are recorded as they went`() async throws {
        let phone = try await bench.personalized()
        let answer = try await keys(phone)
        let exchange = try #require(await bench.manager.exchanges.last)
        #expect(exchange.request.method == .get)
        #expect(exchange.status == 200)
        #expect(exchange.responseBody == answer.body)
        #expect(await bench.manager.exchanges.count == 2)
    }
}
