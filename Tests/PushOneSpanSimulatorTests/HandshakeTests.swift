import Crypto
import Foundation
import PushCore
import PushOneSpanSimulator
import PushTesting
import Testing

struct HandshakeTests {
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

    @Test func `the handshake's counters are 1 and 2, and another one tests no password`()
        async throws
    {
        let bench = Bench()
        let password = try await bench.password(for: "alice")
        var phone = try bench.phone()
        let late = try await phone.read(challenge: bench.send(phone.hello(counter: 2)).command)
        #expect(late.code == -1001)
        _ = try await phone.read(challenge: bench.send(phone.hello()).command)
        for (counter, code) in [(UInt64(3), Int32(-1001)), (2, -1201)] {
            let proof = try phone.proof("22222222", counter: counter)
            let opened = try await phone.read(instances: bench.send(proof).command, to: proof)
            #expect(opened.code == code)
            #expect(opened.payload == (counter == 2 ? "2" : nil))
        }
        let proof = try phone.proof(password)
        #expect(
            try await phone.read(instances: bench.send(proof).command, to: proof).type == 0x04)
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
}
