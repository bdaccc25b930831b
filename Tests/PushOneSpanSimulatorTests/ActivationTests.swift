import Crypto
import Foundation
import IndependentEncodings
import PushCore
import PushOneSpanSimulator
import PushTesting
import Testing

struct ActivationTests {
    private func activationStatus(_ bench: Bench, of user: String = "alice") async -> String? {
        await bench.post("/v1/registrations/check-status", ["login": .string(user)])
            .json?["activationStatus"]?.string
    }

    @Test(arguments: [true, false])
    func `four round trips and a notification registration activate a phone`(
        hasBiometry: Bool
    ) async throws {
        let bench = Bench()
        #expect(await activationStatus(bench) == "unknown")
        var phone = try await bench.confirmed(hasBiometry: hasBiometry)
        #expect(await activationStatus(bench) == "pending")
        #expect(await bench.server.devices(of: "alice").map(\.isActivated) == [false])
        let identifier = identifier(apns: "aabb", isSandbox: true)
        #expect(try await bench.register(&phone, identifier).type == 0x11)
        #expect(await activationStatus(bench) == "activated")
        #expect(await activationStatus(bench, of: "alice@example-domain") == "activated")
        let device = try #require(await bench.server.devices(of: "alice").first)
        #expect(device.isActivated)
        #expect(device.id == hex(phone.id))
        #expect(device.hasBiometry == hasBiometry)
        #expect(device.notificationIdentifier == identifier)
        #expect(device.deviceToken == .apns(hex: "aabb", isSandbox: true))
        #expect(device.counter == 5)
    }

    @Test func `the challenge says how long the activation password lasts`() async throws {
        let bench = Bench()
        var phone = try bench.phone()
        _ = try await bench.password(for: "alice")
        bench.clock.advance(by: .seconds(60))
        let challenge = try await phone.read(challenge: bench.send(phone.hello()).command)
        #expect(challenge.fields[0x0D].map { number($0) } == 1)
        #expect(challenge.fields[0x0E].map { number($0) } == 1_767_225_060_000)
        #expect(challenge.fields[0x0F].map { number($0) } == 1_767_225_600_000)
    }

    @Test func `an unknown user gets a proved −1200`() async throws {
        let bench = Bench()
        var phone = try bench.phone(of: "mallory")
        let answered = await bench.send(try phone.hello())
        #expect(answered.status == 409)
        #expect(try phone.read(challenge: answered.command).code == -1200)
    }

    @Test func `three wrong passwords void the registration, whatever flow they come in`()
        async throws
    {
        let bench = Bench()
        let password = try await bench.password(for: "alice")
        var waiting = try bench.phone()
        _ = try await waiting.read(challenge: bench.send(waiting.hello()).command)
        var phone = try bench.phone()
        for left in ["2", "1", "0"] {
            phone.restart()
            let opened = try await bench.introduce(&phone, password: "22222222")
            #expect(opened.code == -1201)
            #expect(opened.payload == left)
        }
        phone.restart()
        #expect(try await bench.introduce(&phone, password: password).code == -1200)
        let proof = try waiting.proof(password)
        let opened = try await waiting.read(instances: bench.send(proof).command, to: proof)
        #expect(opened.code == -1200)
        #expect(await bench.server.devices(of: "alice").isEmpty)
    }

    @Test func `a void registration also ends the activation that was half done`() async throws {
        let bench = Bench()
        let password = try await bench.password(for: "alice")
        var phone = try bench.phone()
        _ = try await bench.introduce(&phone, password: password)
        for _ in 0..<3 {
            var guesser = try bench.phone()
            _ = try await bench.introduce(&guesser, password: "22222222")
        }
        #expect(try await bench.confirm(&phone).code == -1200)
    }

    @Test func `an activation password ends after ten minutes, at each step`() async throws {
        for step in 1...4 {
            let bench = Bench()
            var phone = try bench.phone()
            let password = try await bench.password(for: "alice")
            func expire() { bench.clock.advance(by: .milliseconds(600_001)) }
            if step == 1 { expire() }
            let challenge = try await phone.read(challenge: bench.send(phone.hello()).command)
            guard step > 1 else {
                #expect(challenge.code == -1202)
                continue
            }
            if step == 2 { expire() }
            let proof = try phone.proof(password)
            let instances = try await phone.read(
                instances: bench.send(proof).command, to: proof)
            guard step > 2 else {
                #expect(instances.code == -1202)
                continue
            }
            if step == 3 { expire() }
            let confirmed = try await bench.confirm(&phone)
            guard step > 3 else {
                #expect(confirmed.code == -1202)
                continue
            }
            expire()
            let final = try bench.final(&phone)
            #expect(try await bench.exchange(final, by: phone).code == -1202)
            #expect(await activationStatus(bench) == "timeout")
        }
    }

    @Test func `an activation password is used up by the first activated device`() async throws {
        let bench = Bench()
        let password = try await bench.password(for: "alice")
        var phone = try bench.phone()
        _ = try await bench.introduce(&phone, password: password)
        _ = try await bench.confirm(&phone)
        let final = try bench.final(&phone)
        #expect(try await bench.exchange(final, by: phone).type == 0x08)
        var second = try bench.phone()
        #expect(try await bench.introduce(&second, password: password).code == -1200)
    }

    @Test func `another activation password voids the one before`() async throws {
        let bench = Bench()
        let old = try await bench.password(for: "alice")
        var half = try bench.phone()
        _ = try await bench.introduce(&half, password: old)
        let new = try await bench.password(for: "alice")
        #expect(old != new)
        #expect(try await bench.confirm(&half).code == -1300)
        var phone = try bench.phone()
        #expect(try await bench.introduce(&phone, password: old).code == -1201)
        phone.restart()
        #expect(try await bench.introduce(&phone, password: new).type == 0x04)
    }

    @Test func `starting over replaces the provisional device`() async throws {
        let bench = Bench()
        let password = try await bench.password(for: "alice")
        var first = try bench.phone()
        var second = try bench.phone()
        _ = try await bench.introduce(&first, password: password)
        _ = try await bench.introduce(&second, password: password)
        #expect(try await bench.confirm(&first).code == -1300)
        #expect(try await bench.confirm(&second).type == 0x06)
        #expect(await bench.server.devices(of: "alice").count == 1)
    }

    @Test(arguments: [Phone.Method.none, .password, .biometric])
    func `an instance that the phone doesn't hold is not confirmed`(
        method: Phone.Method
    ) async throws {
        let bench = Bench()
        let password = try await bench.password(for: "alice")
        var phone = try bench.phone()
        _ = try await bench.introduce(&phone, password: password)
        let keys = phone.instanceKeys
        phone.instanceKeys[Int(method.rawValue)] = [UInt8](repeating: 0, count: 32)
        if method != .password {
            #expect(try await bench.confirm(&phone).code == -1201)
            return
        }
        _ = try await bench.confirm(&phone)
        let final = try bench.final(&phone)
        #expect(try await bench.exchange(final, by: phone).code == -1201)
        phone.instanceKeys = keys
        phone.signingKey = P256.Signing.PrivateKey()
        let badlySigned = try bench.final(&phone)
        #expect(try await bench.exchange(badlySigned, by: phone).code == -1201)
        #expect(await bench.server.devices(of: "alice").map(\.isActivated) == [false])
    }

    @Test func `the third instance is confirmed exactly where there is one`() async throws {
        for hasBiometry in [true, false] {
            let bench = Bench()
            let password = try await bench.password(for: "alice")
            var phone = try bench.phone(hasBiometry: hasBiometry)
            _ = try await bench.introduce(&phone, password: password)
            var fields: [UInt16: [UInt8]] = [0x29: phone.confirmation(.none)]
            if !hasBiometry { fields[0x2E] = phone.confirmation(.none) }
            let command = try phone.command(0x05, tlv(fields), flow: phone.activationFlow)
            #expect(try await bench.exchange(command, by: phone).code == -1002)
        }
    }

    @Test func `a step that isn't due is out of step`() async throws {
        let bench = Bench()
        let password = try await bench.password(for: "alice")
        var phone = try bench.phone()
        _ = try await bench.introduce(&phone, password: password)
        #expect(try await bench.register(&phone, "AA").code == -1001)
        let early = try bench.final(&phone)
        #expect(try await bench.exchange(early, by: phone).code == -1001)
        let confirmation = tlv([
            0x29: phone.confirmation(.none), 0x2E: phone.confirmation(.biometric),
        ])
        let elsewhere = try phone.command(0x05, confirmation, flow: phone.random.array(16))
        #expect(try await bench.exchange(elsewhere, by: phone).code == -1001)
        #expect(try await bench.confirm(&phone).type == 0x06)
        #expect(try await bench.confirm(&phone).code == -1001)
        #expect(try await bench.fetch("any", by: &phone).code == -1001)
    }

    @Test func `a phone that gets no pushes yet may not fetch`() async throws {
        let bench = Bench()
        _ = try await bench.activated()
        let request = try await bench.login()
        var second = try await bench.confirmed()
        #expect(try await bench.fetch(request, by: &second).code == -1001)
        _ = try await bench.register(&second, identifier(apns: "bb"))
        #expect(try await bench.fetch(request, by: &second).state == 1)
    }

    @Test func `a locked or disabled user activates nothing`() async throws {
        let bench = Bench()
        let password = try await bench.password(for: "alice")
        var phone = try bench.phone()
        try await bench.server.lock("alice")
        #expect(try await bench.introduce(&phone, password: password).code == -1101)
        #expect(await bench.post("/v1/users/register", ["userID": "alice"]).status == 409)
        try await bench.server.unlock("alice")
        try await bench.server.disable("alice")
        phone.restart()
        #expect(try await bench.introduce(&phone, password: password).code == -1102)
        try await bench.server.disable("alice", false)
        phone.restart()
        #expect(try await bench.introduce(&phone, password: password).type == 0x04)
    }
}
