import Crypto
import Foundation
import IndependentEncodings
import PushCore
import PushOneSpanSimulator
import PushTesting
import Testing

struct EnvelopeTests {
    private let body = tlv([0x10: Array("AABB".utf8)])

    private func registration(by phone: inout Phone) throws -> [UInt8] {
        try phone.command(0x10, body, flow: phone.random.array(16))
    }

    @Test func `no bit of a header can be changed, and trying changes nothing`() async throws {
        let bench = Bench()
        var phone = try await bench.activated()
        let genuine = try registration(by: &phone)
        for bit in 0..<(52 * 8) {
            var changed = genuine
            changed[bit / 8] ^= 0x80 >> UInt8(bit % 8)
            let code = try await bench.clearCode(changed)
            switch bit / 8 {
            case 0..<8, 48..<52: #expect(code == -1002, "bit \(bit)")
            case 8..<24: #expect(code == -1300, "bit \(bit)")
            default: #expect(code == -1301, "bit \(bit)")
            }
        }
        #expect(await bench.server.devices(of: "alice").map(\.counter) == [5])
        #expect(try await bench.exchange(genuine, by: phone).type == 0x11)
    }

    @Test func `no bit of a clear key, a ciphertext or a tag can be changed`() async throws {
        let bench = Bench()
        var phone = try await bench.activated()
        let fetched = try await bench.fetch(try await bench.login(), by: &phone)
        let answer = try Draft(to: fetched).command(by: &phone)
        for byte in [52, 53, 84, 85, 116, 117, 200, answer.count - 16, answer.count - 1] {
            var changed = answer
            changed[byte] ^= 1
            let code = try await bench.clearCode(changed)
            #expect(code == (byte < 117 ? -1002 : -1301), "byte \(byte)")
        }
        #expect(try await bench.exchange(answer, by: phone).state == 2)
    }

    @Test func `another point of the curve in the clear opens nothing`() async throws {
        let bench = Bench()
        var phone = try await bench.activated()
        let fetched = try await bench.fetch(try await bench.login(), by: &phone)
        var answer = try Draft(to: fetched).command(by: &phone)
        let other = P256.KeyAgreement.PrivateKey().publicKey.x963Representation
        answer.replaceSubrange(52..<117, with: other)
        #expect(try await bench.clearCode(answer) == -1301)
    }

    @Test func `what doesn't parse is told without principal, flow and epoch`() async throws {
        let bench = Bench()
        var phone = try await bench.activated()
        let genuine = try registration(by: &phone)
        let inputs: [[UInt8]] = [
            [], Array(genuine.dropLast()), genuine + [0], Array(genuine.prefix(52)),
            [UInt8](repeating: 0x4F, count: 16_385),
        ]
        for input in inputs {
            let answered = await bench.send(input)
            #expect(answered.status == 400)
            let error = try #require(Opened(clear: answered.command))
            #expect(error.code == -1002)
            #expect(answered.command[7...39].allSatisfy { $0 == 0 })
            #expect(error.counter == 0)
            #expect(error.fields[0x0D] == nil)
        }
    }

    @Test func `hexadecimal digits may be lower-case, and nothing else`() async throws {
        let bench = Bench()
        var phone = try await bench.activated()
        let text = hex(try registration(by: &phone), upperCase: true)
        for odd in [String(text.dropLast()), "G" + text.dropFirst(), " " + text, "0x" + text] {
            let answered = await bench.post("/commands", ["command": .string(odd)])
            #expect(Opened(clear: answered.command)?.code == -1002)
        }
        let answered = await bench.post("/commands", ["command": .string(text.lowercased())])
        #expect(try phone.read(answered.command).type == 0x11)
    }

    @Test func `a server's own command is refused when it comes back`() async throws {
        let bench = Bench()
        var phone = try await bench.activated()
        let reply = await bench.send(try registration(by: &phone)).command
        #expect(try await bench.clearCode(reply) == -1002)
        var turned = reply
        turned[5] = 0x10
        turned[6] = 0
        #expect(try await bench.clearCode(turned) == -1301)
    }

    @Test func `flags, suite and epoch are those of the type`() async throws {
        let bench = Bench()
        var phone = try await bench.activated()
        for (index, value) in [(4, 2), (6, 1), (6, 2), (6, 8), (7, 0), (7, 2)] {
            var command = try registration(by: &phone)
            command[index] = UInt8(value)
            #expect(try await bench.clearCode(command) == -1002, "byte \(index): \(value)")
        }
    }

    @Test(arguments: [
        tlv([0x10: Array("AA".utf8), 0x7FFF: []]),
        tlv([0x10: Array("AA".utf8), 0x20: [0x41]]),
        tlv([0x10: Array("AA".utf8), 0x8001: []]),
        field(0x8002, []) + field(0x10, Array("AA".utf8)),
        field(0x10, Array("AA".utf8)) + field(0x10, Array("AA".utf8)),
        field(0x10, Array("AA".utf8)) + [0],
        field(0x10, Array("AA".utf8)) + [0x80, 0x02, 0, 1],
        field(0x10, []), field(0x10, [0x41, 0]), field(0x10, [0xC3, 0x28]),
        field(0x10, [UInt8](repeating: 0x41, count: 2065)), [],
    ])
    func `a body that isn't canonical is refused with proof and spends its counter`(
        body: [UInt8]
    ) async throws {
        let bench = Bench()
        var phone = try await bench.activated()
        let command = try phone.command(0x10, body, flow: phone.random.array(16))
        let error = try await bench.exchange(command, by: phone)
        #expect(error.code == -1002)
        #expect(error.fields[0x0D].map { number($0) } == phone.counter)
        #expect(await bench.server.devices(of: "alice").map(\.counter) == [phone.counter])
        #expect(
            await bench.server.devices(of: "alice").map(\.notificationIdentifier)
                == [identifier(apns: "aa")])
    }

    @Test func `a field that may be ignored is ignored`() async throws {
        let bench = Bench()
        var phone = try await bench.activated()
        let body = tlv([0x10: Array("AA".utf8), 0x8002: [1, 2, 3]])
        let command = try phone.command(0x10, body, flow: phone.random.array(16))
        #expect(try await bench.exchange(command, by: phone).type == 0x11)
    }

    @Test func `an error says what it answers`() async throws {
        let bench = Bench()
        var phone = try await bench.activated()
        let flow = phone.random.array(16)
        let command = try phone.command(0x31, tlv([0x20: Array("none".utf8)]), flow: flow)
        let error = try await bench.exchange(command, by: phone)
        #expect(error.code == -1400)
        #expect(error.flags == 1)
        #expect(error.flow == flow)
        #expect(error.principal == phone.id)
        #expect(error.counter == 6)
        #expect(error.text(0x71) == "request not found")
        #expect(error.text(0x73) == "GENERIC")
        #expect(error.fields[0x74] == [4])
        #expect(error.fields[0x75] == [0x31])
        #expect(error.fields[0x76] == flow)
    }

    @Test func `each reply has its own counter`() async throws {
        let bench = Bench()
        var phone = try await bench.activated()
        var counters: [UInt64] = []
        for _ in 0..<3 {
            counters.append(try await bench.register(&phone, "AA").counter)
            counters.append(try await bench.fetch("none", by: &phone).counter)
        }
        #expect(counters == [6, 7, 8, 9, 10, 11])
    }
}
