import PushCore
import PushOneSpanSimulator
import PushTesting
import Testing

struct ChangePasswordTests {
    private let newKey = [UInt8](repeating: 9, count: 32)

    private func change(
        by phone: inout Phone, nonce: [UInt8], isWrong: Bool = false
    ) throws -> [UInt8] {
        let message = joined(
            Array("OOC1 chpw".utf8), [0], phone.id, nonce, bigEndian(phone.counter + 1), newKey)
        return try phone.command(
            0x40,
            tlv([0x04: nonce, 0x29: phone.code(.password, isWrong ? [0] : message), 0x2F: newKey]),
            flow: phone.random.array(16))
    }

    private func approves(_ bench: Bench, _ phone: inout Phone) async throws -> UInt8? {
        let fetched = try await bench.fetch(try await bench.login(), by: &phone)
        return try await bench.answer(Draft(to: fetched), by: &phone).state
    }

    @Test func `the new key counts from now on, and the old one no more`() async throws {
        let bench = Bench()
        var phone = try await bench.activated()
        let command = try change(by: &phone, nonce: phone.random.array(32))
        let reply = try await bench.exchange(command, by: phone)
        #expect(reply.type == 0x41)
        #expect(reply.attemptsLeft == nil)
        #expect(try await approves(bench, &phone) == 1)
        phone.instanceKeys[1] = newKey
        #expect(try await approves(bench, &phone) == 2)
    }

    @Test func `a wrong proof changes nothing, says what is left and locks in the end`()
        async throws
    {
        let bench = Bench()
        var phone = try await bench.activated()
        for left: UInt8 in [4, 3] {
            let command = try change(by: &phone, nonce: phone.random.array(32), isWrong: true)
            let reply = try await bench.exchange(command, by: phone)
            #expect(reply.type == 0x41)
            #expect(reply.attemptsLeft == left)
        }
        #expect(try await approves(bench, &phone) == 2)
        for left: UInt8 in [4, 3, 2, 1, 0] {
            let command = try change(by: &phone, nonce: phone.random.array(32), isWrong: true)
            #expect(try await bench.exchange(command, by: phone).attemptsLeft == left)
        }
        let command = try change(by: &phone, nonce: phone.random.array(32))
        #expect(try await bench.exchange(command, by: phone).code == -1101)
    }

    @Test func `a change whose reply was lost is confirmed by its nonce, even to a locked user`()
        async throws
    {
        let bench = Bench()
        var phone = try await bench.activated()
        let nonce = phone.random.array(32)
        _ = try await bench.exchange(change(by: &phone, nonce: nonce), by: phone)
        try await bench.server.lock("alice")
        let again = try await bench.exchange(change(by: &phone, nonce: nonce), by: phone)
        #expect(again.type == 0x41)
        #expect(again.attemptsLeft == nil)
        let other = try change(by: &phone, nonce: phone.random.array(32))
        #expect(try await bench.exchange(other, by: phone).code == -1101)
    }

    @Test func `an accepted change forgets the wrong ones before it`() async throws {
        let bench = Bench()
        var phone = try await bench.activated()
        for (isWrong, left) in [(true, UInt8(4)), (true, 3), (false, nil), (true, 4)] {
            let command = try change(by: &phone, nonce: phone.random.array(32), isWrong: isWrong)
            #expect(try await bench.exchange(command, by: phone).attemptsLeft == left)
        }
    }

    @Test func `a nonce that was refused confirms nothing`() async throws {
        let bench = Bench()
        var phone = try await bench.activated()
        let nonce = phone.random.array(32)
        for left: UInt8 in [4, 3] {
            let command = try change(by: &phone, nonce: nonce, isWrong: true)
            #expect(try await bench.exchange(command, by: phone).attemptsLeft == left)
        }
    }
}
