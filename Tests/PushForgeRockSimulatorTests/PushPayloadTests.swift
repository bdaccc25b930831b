import Foundation
import PushCore
import PushForgeRockSimulator
import PushTesting
import Testing

struct PushPayloadTests {
    typealias Generation = ForgeRockSimulator.Generation

    private func aps(
        _ generation: Generation, isAM72: Bool = false, asking kind: SimulatedLogin.Kind
    ) async throws -> JSON {
        let bench = Bench(generation) { $0.isAM72 = isAM72 }
        _ = try await bench.enrolled()
        return try #require(Received(await bench.login(asking: kind).push).payload["aps"])
    }

    @Test func `the category names the kind from AM 7.3`() async throws {
        #expect(try await aps(.a, asking: .number)["category"] == nil)
        #expect(try await aps(.b, isAM72: true, asking: .number)["category"] == "authentication")
        for generation in [Generation.b, .c, .d] {
            let number = try await aps(generation, asking: .number)
            #expect(number["category"] == "authentication_challenge")
            let biometry = try await aps(generation, asking: .biometry)
            #expect(biometry["category"] == "authentication_biometric")
            #expect(try await aps(generation, asking: .confirm)["category"] == "authentication")
        }
    }

    @Test func `a push can be changed by an extension from AM 7.3`() async throws {
        #expect(try await aps(.a, asking: .confirm)["mutable-content"] == nil)
        #expect(try await aps(.b, isAM72: true, asking: .confirm)["mutable-content"] == nil)
        #expect(try await aps(.b, asking: .confirm)["mutable-content"] == 1)
        #expect(try await aps(.b, asking: .confirm)["interruption-level"] == "time-sensitive")
        #expect(try await aps(.a, asking: .confirm)["content-available"] == 1)
    }

    @Test(arguments: [
        (Generation.a, "u l c t"),
        (.b, "u l c t m k i p n"),
        (.c, "u l c t m k i p n d"),
        (.d, "u l c t m k i p n d"),
    ])
    func `each generation has its claims`(generation: Generation, names: String) async throws {
        let bench = Bench(generation)
        let phone = try await bench.enrolled()
        let received = try Received(await bench.login(asking: .number).push)
        let claims = try #require(received.claims.object)
        #expect(
            Set(claims.members.map(\.name)) == Set(names.split(separator: " ").map(String.init)))
        #expect(claims.members.allSatisfy { $0.value.string != nil })
        #expect(claims["u"] == .string(phone.mechanismUID))
        #expect(try received.isSigned(by: phone.key))
    }

    @Test(arguments: [
        (SimulatedLogin.Kind.confirm, "default"), (.number, "challenge"), (.biometry, "biometric"),
    ])
    func `each kind of login has its type`(kind: SimulatedLogin.Kind, type: String) async throws {
        let bench = Bench()
        _ = try await bench.enrolled()
        let (login, push) = try await bench.login(asking: kind)
        let claims = try Received(push).claims
        #expect(claims["k"] == .string(type))
        #expect((claims["n"] == nil) == (kind != .number))
        #expect((login.shown == nil) == (kind != .number))
    }

    @Test func `three different numbers of two digits ascend, and one is shown`() async throws {
        let bench = Bench()
        _ = try await bench.enrolled()
        for _ in 0..<50 {
            let (login, push) = try await bench.login(asking: .number)
            let texts = try #require(Received(push).claims["n"]?.string).split(separator: ",")
            let numbers = texts.compactMap { Int($0) }
            #expect(numbers.count == 3)
            #expect(numbers == Set(numbers).sorted())
            #expect(numbers.allSatisfy { 10...99 ~= $0 })
            #expect(texts.map(String.init).contains(login.shown))
        }
    }

    @Test func `an empty custom payload reads two spaces, a shared context only what is known`()
        async throws
    {
        let bench = Bench {
            $0.sharesContextInfo = true
            $0.context.latitude = 51.5
            $0.context.userAgent = "Mozilla/5.0"
        }
        _ = try await bench.enrolled()
        let claims = try Received(await bench.login().push).claims
        #expect(claims["p"] == "{  }")
        #expect(claims["x"] == #"{ "userAgent": "Mozilla/5.0" }"#)
    }

    @Test func `a custom payload of more than 3 KiB isn't sent`() async throws {
        let bench = Bench { $0.customPayload = ["a": .string(String(repeating: "a", count: 3072))] }
        _ = try await bench.enrolled()
        await #expect(throws: PushError.self) { try await bench.login() }
        #expect(await bench.am.takePushes().isEmpty)
    }

    @Test func `the message's text fills in user and issuer`() async throws {
        let bench = Bench { $0.userMessage = "{{user}}, is that you at {{issuer}}?" }
        _ = try await bench.enrolled()
        let received = try Received(await bench.login().push)
        #expect(received.claims["m"] == "jane, is that you at Example Bank?")
        #expect(received.payload["aps"]?["alert"] == "jane, is that you at Example Bank?")
    }

    @Test func `without a load balancer neither invitation nor push has a cookie`() async throws {
        let bench = Bench { $0.loadBalancerCookie = nil }
        let phone = try await bench.enrolled()
        #expect(phone.parameters["l"] == nil)
        #expect(try Received(await bench.login().push).claims["l"] == nil)
    }

    @Test func `only the first device of a user gets the push`() async throws {
        let bench = Bench()
        _ = try await bench.enrolled { $0.deviceID = "AA" }
        _ = try await bench.enrolled {
            $0.deviceID = "BB"
            $0.mechanismUID = "second"
        }
        _ = try await bench.am.startLogin(of: "jane", asking: .confirm)
        let pushes = await bench.am.takePushes()
        #expect(pushes.map(\.deviceToken) == [.apns(hex: "AA", isSandbox: false)])
    }

    @Test func `a user without a device can't be asked`() async throws {
        let bench = Bench()
        _ = try await bench.enrolled()
        await bench.am.removeDevices(of: "jane")
        for user in ["jane", "john"] {
            await #expect(throws: PushError.self) { try await bench.login(user) }
        }
    }
}
