import Foundation
import IndependentEncodings
import PushCore
import PushOneSpanSimulator
import PushTesting
import Testing

struct ReplayTests {
    private func fetch(by phone: inout Phone, counter: UInt64? = nil) throws -> [UInt8] {
        try phone.command(
            0x21, tlv([0x20: Array("none".utf8)]), flow: phone.random.array(16),
            counter: counter)
    }

    @Test func `the same bytes get the same reply for five minutes, and act once`() async throws {
        let bench = Bench()
        var phone = try await bench.activated()
        let fetched = try await bench.fetch(try await bench.login(), by: &phone)
        var draft = try Draft(to: fetched)
        draft.spoilsResponse = true
        let command = try draft.command(by: &phone)
        let first = await bench.send(command).command
        #expect(try phone.read(first).attemptsLeft == 2)
        bench.clock.advance(by: .seconds(300))
        #expect(await bench.send(command).command == first)
        bench.clock.advance(by: .seconds(1))
        let late = try await bench.exchange(command, by: phone)
        #expect(late.code == -1302)
        #expect(late.payload == "0000000000000007")
    }

    @Test func `the cache is asked before the user's state`() async throws {
        let bench = Bench()
        var phone = try await bench.activated()
        let command = try fetch(by: &phone)
        let first = await bench.send(command).command
        try await bench.server.lock("alice")
        #expect(await bench.send(command).command == first)
        #expect(try await bench.fetch("none", by: &phone).code == -1101)
    }

    @Test func `a counter is taken once, up to 63 behind the highest`() async throws {
        let bench = Bench()
        var phone = try await bench.activated()
        #expect(try await bench.exchange(fetch(by: &phone, counter: 100), by: phone).code == -1400)
        for (counter, code) in [(100, -1302), (36, -1302), (37, -1400), (37, -1302), (99, -1400)] {
            let command = try fetch(by: &phone, counter: UInt64(counter))
            let error = try await bench.exchange(command, by: phone)
            #expect(error.code == Int32(code), "counter \(counter)")
            if code == -1302 { #expect(error.payload == "0000000000000064") }
        }
        #expect(try await bench.exchange(fetch(by: &phone, counter: 101), by: phone).code == -1400)
    }

    @Test func `counters 0 and the highest there is harm nobody`() async throws {
        let bench = Bench()
        var phone = try await bench.activated()
        #expect(try await bench.exchange(fetch(by: &phone, counter: 0), by: phone).code == -1302)
        let highest = try fetch(by: &phone, counter: .max)
        #expect(try await bench.exchange(highest, by: phone).code == -1400)
        let error = try await bench.exchange(fetch(by: &phone, counter: 7), by: phone)
        #expect(error.payload == "FFFFFFFFFFFFFFFF")
    }

    @Test func `the end of an activation is answered alike until the next command`() async throws {
        let bench = Bench()
        var phone = try bench.phone()
        let password = try await bench.password(for: "alice")
        _ = try await bench.introduce(&phone, password: password)
        _ = try await bench.confirm(&phone)
        let final = try bench.final(&phone)
        let first = await bench.send(final).command
        bench.clock.advance(by: .seconds(86_400))
        #expect(await bench.send(final).command == first)
        #expect(try await bench.register(&phone, "AA").type == 0x11)
        #expect(try await bench.exchange(final, by: phone).code == -1302)
    }

    @Test func `a registration that was held back doesn't win over a newer one`() async throws {
        let bench = Bench()
        var phone = try await bench.activated()
        let old = try phone.command(
            0x10, tlv([0x10: Array("01".utf8)]), flow: phone.random.array(16))
        #expect(try await bench.register(&phone, "02").type == 0x11)
        #expect(try await bench.exchange(old, by: phone).type == 0x11)
        #expect(
            await bench.server.devices(of: "alice").map(\.notificationIdentifier) == ["02"])
    }

    @Test func `a phone restored from a backup learns the highest counter`() async throws {
        let bench = Bench()
        var phone = try await bench.activated()
        var backup = phone
        for _ in 0..<3 { _ = try await bench.fetch("none", by: &phone) }
        let error = try await bench.fetch("none", by: &backup)
        #expect(error.code == -1302)
        backup.counter = number(bytes(hex: try #require(error.payload)))
        #expect(try await bench.fetch("none", by: &backup).code == -1400)
    }

    @Test func `a server restored from a backup has the old counters and identifiers`()
        async throws
    {
        let bench = Bench()
        var phone = try await bench.activated()
        await bench.server.saveDevices(of: "alice")
        _ = try await bench.register(&phone, "02")
        await bench.server.removeDevices(of: "alice")
        #expect(await bench.server.devices(of: "alice").isEmpty)
        await bench.server.restoreDevices(of: "alice")
        let device = try #require(await bench.server.devices(of: "alice").first)
        #expect(device.counter == 5)
        #expect(device.notificationIdentifier == identifier(apns: "aa"))
        #expect(try await bench.fetch("none", by: &phone).code == -1400)
    }

    @Test func `a removed device is told so with proof for 30 days`() async throws {
        let bench = Bench()
        var phone = try await bench.activated()
        await bench.server.removeDevices(of: "alice")
        bench.clock.advance(by: .seconds(30 * 86_400))
        #expect(try await bench.fetch("none", by: &phone).code == -1300)
        bench.clock.advance(by: .seconds(1))
        #expect(try await bench.clearCode(fetch(by: &phone)) == -1300)
    }

    @Test func `a device whose account is gone, or another's by now, has no user`() async throws {
        let bench = Bench()
        var phone = try await bench.activated()
        try await bench.server.deleteAccount(of: "alice")
        #expect(try await bench.fetch("none", by: &phone).code == -1100)
        _ = try await bench.password(for: "alice")
        #expect(try await bench.fetch("none", by: &phone).code == -1100)
        #expect(await bench.server.devices(of: "alice").isEmpty)
    }
}
