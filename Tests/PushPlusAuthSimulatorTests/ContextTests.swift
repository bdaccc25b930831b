import Foundation
import PushCore
import PushPlusAuthSimulator
import PushTesting
import Testing

struct ContextTests {
    typealias Configuration = PlusAuthSimulator.Configuration

    @Test(arguments: Phone.Kind.allCases)
    func `a push carries the documented claims, signed with the key the device sent`(
        kind: Phone.Kind
    ) async throws {
        let bench = Bench()
        let phone = try await bench.enrolled(Phone(kind))
        bench.clock.advance(by: .milliseconds(900))
        let push = try await bench.login(asking: .number).push
        #expect(try phone.verifies(push))
        #expect(
            push.header == [
                "alg": .string(phone.algorithm), "typ": "JWT",
                "kid": try #require(phone.publicKey["kid"]),
            ])
        #expect(
            push.claims.members.map(\.name) == [
                "exp", "iat", "context_token", "resolve_url", "settings", "info", "type", "values",
            ])
        #expect(push.claims["iat"]?.integer == 1_702_243_100)
        #expect(push.claims["exp"]?.integer == 1_702_250_300)
        #expect(push.claims["type"] == "code")
        #expect(
            push.claims["resolve_url"]
                == "https://tenant.plusauth.example/push-authenticator/resolve")
        let info = try #require(push.claims["info"])
        #expect(info["application"] == "Acme Bank")
        #expect(info["user_identifier"] == "ada@example.com")
        let sample = try Received(jwt: Vectors("contexts").text("rs256_code")).claims["info"]
        #expect(info == sample)
    }

    @Test func `a code has three different values of two digits, one of them on the page`()
        async throws
    {
        let bench = Bench()
        try await bench.enrolled()
        bench.random.draw(7, 0, 97, 0)
        let (login, push) = try await bench.login(asking: .number)
        #expect(push.claims["values"] == ["07", "00", "99"])
        #expect(login.shown == "07")
        bench.random.draw(83, 83, 83, 2)
        let (next, second) = try await bench.login(asking: .number)
        #expect(second.claims["values"] == ["83", "84", "85"])
        #expect(next.shown == "85")
    }

    @Test func `a prompt has no values, and biometry can't be asked for`() async throws {
        let bench = Bench()
        try await bench.enrolled()
        let (login, push) = try await bench.login(asking: .confirm)
        #expect(login.shown == nil)
        #expect(push.claims["type"] == "prompt")
        #expect(push.claims["values"] == nil)
        await #expect { try await bench.login(asking: .biometry) } throws: {
            ($0 as? PushError)?.code == .unsupported
        }
        await #expect { try await bench.login("nobody") } throws: {
            ($0 as? PushError)?.code == .notFound
        }
    }

    @Test func `all devices of the user get a context of their own, nobody else's does`()
        async throws
    {
        let bench = Bench()
        let phones = [try Phone.another("a"), try Phone.another("b")]
        for phone in phones { try await bench.enrolled(phone) }
        try await bench.enrolled(.another("c"), for: "john")
        _ = try await bench.tenant.startLogin(of: "ada@example.com", asking: .confirm)
        let pushes = await bench.tenant.takePushes()
        #expect(pushes.map(\.deviceToken) == [.fcm("token of a"), .fcm("token of b")])
        let received = try pushes.map(Received.init)
        for (index, phone) in phones.enumerated() {
            #expect(try phone.verifies(received[index]))
            #expect(try !phone.verifies(received[1 - index]))
        }
        #expect(Set(received.map(\.token)).count == 2)

        await bench.tenant.configure { $0.sharesContextToken = true }
        _ = try await bench.tenant.startLogin(of: "ada@example.com", asking: .confirm)
        let shared = try await bench.tenant.takePushes().map(Received.init)
        #expect(shared.count == 2)
        #expect(Set(shared.map(\.token)).count == 1)
    }

    @Test func `Apple's devices get an empty alert, and the context beside it or in data`()
        async throws
    {
        for isNested in [false, true] {
            let bench = Bench { $0.nestsContext = isNested }
            var phone = try Phone()
            phone.service = "apns"
            try await bench.enrolled(phone)
            _ = try await bench.tenant.startLogin(of: "ada@example.com", asking: .confirm)
            let push = try #require(await bench.tenant.takePushes().first)
            let payload = try JSON(parsing: push.payload)
            #expect(payload["aps"]?["alert"] == ["title": "", "body": ""])
            #expect((payload["context"] == nil) == isNested)
            #expect((payload["data"]?["context"] == nil) == !isNested)
            #expect(try phone.verifies(Received(push)))
        }
    }

    @Test func `Firebase's data are the context alone`() async throws {
        let bench = Bench { $0.nestsContext = true }
        try await bench.enrolled()
        _ = try await bench.tenant.startLogin(of: "ada@example.com", asking: .confirm)
        let push = try #require(await bench.tenant.takePushes().first)
        #expect(try JSON(parsing: push.payload).object?.members.map(\.name) == ["context"])
    }

    @Test func `settings say what the tenant says about SIM cards`() async throws {
        let cases: [(Configuration.SIMBinding, JSON?)] = [
            (.bound, ["bind_sim": true]), (.unbound, ["bind_sim": false]),
            (.null, ["bind_sim": nil]), (.absent, [:]), (.noSettings, nil),
        ]
        #expect(cases.map(\.0) == Configuration.SIMBinding.allCases)
        for (binding, settings) in cases {
            let bench = Bench { $0.simBinding = binding }
            try await bench.enrolled()
            #expect(try await bench.login().push.claims["settings"] == settings)
        }
    }

    @Test func `what is undocumented can be left out or told otherwise`() async throws {
        let bench = Bench {
            $0.omitsKid = true
            $0.omitsResolveURL = true
            $0.info = nil
        }
        let phone = try await bench.enrolled()
        let push = try await bench.login().push
        #expect(push.header.members.map(\.name) == ["alg", "typ"])
        #expect(push.claims["resolve_url"] == nil)
        #expect(push.claims["info"] == nil)
        #expect(try phone.verifies(push))
        await bench.tenant.configure {
            $0.omitsResolveURL = false
            $0.resolvePath = .resolveChallenge
            $0.info = .null
        }
        let other = try await bench.login().push
        #expect(other.path == "/push-authenticator/resolve-challenge")
        #expect(other.claims["info"] == .null)
    }

    @Test func `a private key without a name goes by the public one's`() async throws {
        let bench = Bench()
        var phone = try Phone()
        phone.privateKey["kid"] = nil
        try await bench.enrolled(phone)
        #expect(try await bench.login().push.header["kid"] == phone.publicKey["kid"])
    }

    @Test func `nulls are nested anywhere but in what is required, and by the seed alone`()
        async throws
    {
        var seen: Set<String> = []
        var texts: [[JSON]] = []
        for _ in 0..<2 {
            let bench = Bench {
                $0.nestsNulls = true
                $0.simBinding = .bound
                $0.random = SeededRandom(seed: 9)
            }
            let phone = try await bench.enrolled()
            var claims: [JSON] = []
            for _ in 0..<60 {
                let (_, push) = try await bench.login(asking: .number)
                #expect(try phone.verifies(push))
                #expect(push.claims["values"]?.array?.count == 3)
                for name in ["exp", "iat", "context_token", "resolve_url", "type"] {
                    #expect(push.claims[name] != nil && push.claims[name] != .null)
                }
                note(push.claims["info"], "info", in: &seen)
                note(push.claims["settings"]?["bind_sim"], "bind_sim", in: &seen)
                note(push.claims["info"]?["ip"], "ip", in: &seen)
                claims.append(.object(push.claims))
            }
            texts.append(claims)
        }
        #expect(texts[0] == texts[1])
        let expected = ["info", "bind_sim", "ip"].flatMap { ["\($0) is there", "\($0) is null"] }
        #expect(
            seen.isSuperset(of: expected + ["info is missing", "ip is missing", "ip is empty"]))
    }

    private func note(_ value: JSON?, _ name: String, in seen: inout Set<String>) {
        switch value {
        case nil: seen.insert("\(name) is missing")
        case .null: seen.insert("\(name) is null")
        case "": seen.insert("\(name) is empty")
        default: seen.insert("\(name) is there")
        }
    }
}
