import Crypto
import Foundation
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
        #expect(device.id == hex(phone.id).lowercased())
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

    @Test func `a corrupted proof counts once, and the true one is still taken`() async throws {
        let bench = Bench()
        let password = try await bench.password(for: "alice")
        var phone = try bench.phone()
        _ = try await phone.read(challenge: bench.send(phone.hello()).command)
        let proof = try phone.proof(password)
        var corrupted = proof
        corrupted[60] ^= 1
        for _ in 0..<5 {
            let opened = try await phone.read(
                instances: bench.send(corrupted).command, to: corrupted)
            #expect(opened.payload == "2")
        }
        let opened = try await phone.read(instances: bench.send(proof).command, to: proof)
        #expect(opened.type == 0x04)
    }

    @Test func `a proof that opens to nonsense is one wrong password like any other`()
        async throws
    {
        let bench = Bench { $0.activationAttempts = 10 }
        let password = try await bench.password(for: "alice")
        let point = Array(P256.Signing.PrivateKey().publicKey.x963Representation)
        let offCurve = [4] + [UInt8](repeating: 1, count: 64)
        let key = [UInt8](repeating: 7, count: 32)
        let right = [2] + [0] + key + [1] + key
        let bodies: [[UInt8]] = [
            field(6, offCurve) + field(7, right),
            field(7, right) + field(6, point),
            field(6, point) + field(7, [2] + [1] + key + [0] + key),
            field(6, point) + field(7, [3] + [0] + key + [1] + key),
            field(6, point) + field(8, right),
            [UInt8](repeating: 0, count: 140),
        ]
        var left = 10
        for body in bodies {
            var phone = try bench.phone()
            _ = try await phone.read(challenge: bench.send(phone.hello()).command)
            let proof = try phone.proof(password, body: body)
            let opened = try await phone.read(instances: bench.send(proof).command, to: proof)
            left -= 1
            #expect(opened.code == -1201)
            #expect(opened.text(0x71) == "password proof failed")
            #expect(opened.payload == "\(left)")
        }
        #expect(await bench.server.devices(of: "alice").isEmpty)
    }

    @Test func `a proof of another length is malformed and tests no password`() async throws {
        let bench = Bench()
        let password = try await bench.password(for: "alice")
        var phone = try bench.phone()
        _ = try await phone.read(challenge: bench.send(phone.hello()).command)
        let long = try phone.proof(password, body: [UInt8](repeating: 0, count: 141))
        #expect(try await bench.clearCode(long) == -1002)
        let wrong = try phone.proof("22222222")
        let opened = try await phone.read(instances: bench.send(wrong).command, to: wrong)
        #expect(opened.payload == "2")
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

    @Test func `a ninth open flow displaces the oldest`() async throws {
        let bench = Bench()
        let password = try await bench.password(for: "alice")
        var phones = try (0..<9).map { _ in try bench.phone() }
        for index in phones.indices {
            let hello = try phones[index].hello()
            _ = try await phones[index].read(challenge: bench.send(hello).command)
        }
        #expect(try await bench.clearCode(phones[0].proof(password)) == -1001)
        let proof = try phones[1].proof(password)
        let opened = try await phones[1].read(instances: bench.send(proof).command, to: proof)
        #expect(opened.type == 0x04)
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

    @Test func `a flow that was used for a Hello can't be taken by another`() async throws {
        let bench = Bench()
        _ = try await bench.password(for: "alice")
        var phone = try bench.phone()
        var thief = try bench.phone()
        thief.activationFlow = phone.activationFlow
        #expect(try await phone.read(challenge: bench.send(phone.hello()).command).type == 2)
        #expect(
            try await thief.read(challenge: bench.send(thief.hello()).command).code == -1001)
    }

    @Test func `a Hello of another version, user or domain isn't understood`() async throws {
        let bench = Bench()
        _ = try await bench.password(for: "alice")
        let nonce = [UInt8](repeating: 1, count: 32)
        let name = Array("alice".utf8)
        let domain = Array("example-domain".utf8)
        let bodies: [[UInt16: [UInt8]]] = [
            [1: [2], 2: name, 3: domain, 4: nonce],
            [1: [1], 2: Array("bob".utf8), 3: domain, 4: nonce],
            [1: [1], 2: name, 3: Array("other".utf8), 4: nonce],
            [1: [1], 2: name, 3: domain],
        ]
        for body in bodies {
            var phone = try bench.phone()
            let hello = try phone.hello(tlv(body))
            let answered = await bench.send(hello)
            #expect(answered.status == 400)
            #expect(try phone.read(challenge: answered.command).code == -1002)
        }
    }

    @Test func `a phone that pins another server's key gets nowhere`() async throws {
        let bench = Bench()
        _ = try await bench.password(for: "alice")
        var phone = try bench.phone()
        phone.serverKey = P256.KeyAgreement.PrivateKey().publicKey
        #expect(try await bench.clearCode(phone.hello()) == -1301)
    }

    @Test func `a server in rotation takes its old key and its new one`() async throws {
        let bench = Bench()
        var old = try await bench.activated()
        let key = await bench.server.rotateServerKey()
        #expect(await bench.server.serverKeys == [bench.server.serverKey, key])
        let request = try await bench.login()
        let fetched = try await bench.fetch(request, by: &old)
        #expect(try await bench.answer(Draft(to: fetched), by: &old).state == 2)
        let password = try await bench.password(for: "alice")
        var new = try bench.phone()
        new.serverKey = try P256.KeyAgreement.PublicKey(x963Representation: key)
        #expect(try await bench.introduce(&new, password: password).type == 0x04)
        _ = try await bench.confirm(&new)
        let final = try bench.final(&new)
        #expect(try await bench.exchange(final, by: new).type == 0x08)
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
