import Crypto
import Foundation
import PushCore
import PushTesting
import PushXignIn
import Testing

/// What the claims of a push must be: `docs/vendors/xignin-oxrw.md#3-a-push`.
@Suite struct PushClaimsTests: PushSuite {
    let sent: SentPush

    init() async throws { sent = try await SentPush() }

    // MARK: Step 6

    @Test(arguments: ["iss", "aud", "jti", "iat", "exp", "pid", "msg", "ign", "min_api"])
    func `a required claim that is missing or of another kind is an error`(name: String)
        async throws
    {
        let isBool = name == "ign"
        let isNumber = ["iat", "exp"].contains(name)
        let values: [JSON?] = [
            nil, .null, ["x"], isBool ? 1 : true, isBool || isNumber ? "true" : 7,
            isNumber ? "1767225600" : 0,
        ]
        for value in values {
            #expect(
                try await code(push.with(name, value)) == .unexpectedError,
                "\(name): \(value?.text ?? "missing")")
        }
    }

    @Test func `another issuer than the header names is an error`() async throws {
        #expect(try await code(push.with("iss", "idm-demo-2")) == .unexpectedError)
        #expect(try await code(push.with("iss", "IDM-DEMO-1")) == .unexpectedError)
    }

    @Test func `an end before the beginning, or at it, is an error`() async throws {
        let issued = push.claims["iat"]?.integer ?? 0
        for end in [issued, issued - 1, 0, -1] {
            let bent = push.with("exp", .number(.init(end)))
            #expect(try await code(bent) == .unexpectedError)
        }
    }

    @Test func `another activation's push is for nobody here`() async throws {
        #expect(
            try await code(push.with("aud", "act-other")) == .identityManagerNotPersonalized)
    }

    @Test(arguments: [
        "", "a b", "a/b", "é", "a\u{0}", "a:b", "..%2f", String(repeating: "x", count: 129),
    ])
    func `an identifier of other characters or too long is an error`(pid: String) async throws {
        #expect(try await code(push.with("pid", .string(pid))) == .unexpectedError)
    }

    @Test func `an identifier of 128 of the allowed characters is taken`() async throws {
        let pid = String(("azAZ09._-" + String(repeating: "x", count: 128)).prefix(128))
        #expect(try await code(push.with("pid", .string(pid))) == nil)
    }

    @Test func `claims that aren't strict JSON are an error`() async throws {
        let changes: [(String) -> String] = [
            { "\u{FEFF}" + $0 }, { $0 + "x" }, { $0.dropLast() + #","pid":"prc-other"}"# },
            { $0.dropLast() + #","x":1.5}"# }, { $0.dropLast() + #","x":1E3}"# },
            { $0.dropLast() + #","x":1.0}"# }, { $0.dropLast() + #","x":9007199254740992}"# },
            { $0.dropLast() + #","x":[[[[[[[[1]]]]]]]]}"# },
            { $0.dropLast() + #","x":{"y":1,"y":2}}"# }, { _ in "[]" }, { _ in "null" },
        ]
        for (index, change) in changes.enumerated() {
            #expect(await code(try garbled(claims: change)) == .unexpectedError, "\(index)")
        }
    }

    @Test func `eight levels and the largest numbers are taken`() async throws {
        let deep = try garbled(claims: { $0.dropLast() + #","x":[[[[[[[1]]]]]]]}"# })
        #expect(await code(deep) == nil)
        let large = try garbled(claims: {
            $0.dropLast() + #","x":9007199254740991,"y":-9007199254740991}"#
        })
        #expect(await code(large) == nil)
    }

    @Test func `unknown claims and members of the header are ignored`() async throws {
        let more = push.with("later", ["x": 1]).with(header: "later", "y")
        guard case .authentication = try await harness.phone.handle(more.data(key)) else {
            Issue.record("It is an authentication.")
            return
        }
    }

    @Test func `whatever was refused left no trace`() async throws {
        let before = await harness.phone.store.count
        for bad in [
            push.with("iss", "x"), push.with("pid", nil), push.with(header: "typ", "JWT"),
            push.with("aud", "act-other"),
        ] {
            _ = try await code(bad)
        }
        _ = await code(try push.data(SigningKey()))
        #expect(await harness.phone.store.count == before)
        #expect(try await harness.phone.authenticator.records().isEmpty)
        #expect(await harness.manager.requests.count == 1)
    }
}
