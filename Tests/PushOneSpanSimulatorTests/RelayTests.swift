import Foundation
import HTTPTypes
import IndependentEncodings
import PushCore
import PushOneSpanSimulator
import PushTesting
import Testing

struct RelayTests {
    private func fetch(by phone: inout Phone) throws -> [UInt8] {
        try phone.command(
            0x21, tlv([0x20: Array("none".utf8)]), flow: phone.random.array(16))
    }

    private func register(by phone: inout Phone, _ identifier: String = "02") throws -> [UInt8] {
        try phone.command(
            0x10, tlv([0x10: Array(identifier.utf8)]), flow: phone.random.array(16))
    }

    private func identifier(_ bench: Bench) async -> String? {
        await bench.server.devices(of: "alice").first?.notificationIdentifier
    }

    @Test func `an error of the new service has the documented members`() async throws {
        let bench = Bench()
        var phone = try await bench.activated()
        let answered = await bench.send(try fetch(by: &phone))
        #expect(answered.status == 409)
        let json = try #require(answered.json)
        #expect(json["errorCategory"] == "session")
        #expect(json["errorCode"] == -1400)
        #expect(json["message"] == "request not found")
        #expect(json["service"]?.string != nil)
        #expect(json["logCorrelationId"]?.string != nil)
        #expect(json["timestamp"] == "2025-12-31T23:50:00Z")
        #expect(json["validationErrors"] == nil)
        #expect(try phone.read(answered.command).code == -1400)
    }

    @Test func `an error of the old service has a command and a message alone`() async throws {
        let bench = Bench { $0.commandService = .legacy }
        var phone = try await bench.activated()
        let answered = await bench.send(try fetch(by: &phone))
        #expect(answered.status == 409)
        #expect(
            Set(try #require(answered.json?.object).members.map(\.name)) == ["command", "message"])
        #expect(try phone.read(answered.command).code == -1400)
    }

    @Test func `the platform's own paths take commands as well`() async throws {
        let bench = Bench()
        var phone = try await bench.activated()
        for service in OneSpanSimulator.CommandService.allCases {
            let command = JSON.string(hex(try register(by: &phone), upperCase: true))
            let answered = await bench.post("/v1/\(service.rawValue)", ["command": command])
            #expect(answered.status == 200)
            #expect(try phone.read(answered.command).type == 0x11)
        }
    }

    @Test func `a body without a command says what is wrong with it`() async throws {
        let bench = Bench()
        for body: JSON in [[:], ["command": 1], []] {
            let answered = await bench.post("/commands", body)
            #expect(answered.status == 400)
            #expect(answered.json?["errorCode"] == -1001)
            #expect(answered.json?["validationErrors"]?.array?.isEmpty == false)
            #expect(Opened(clear: answered.command)?.code == -1001)
        }
        #expect(await bench.request(.post, "/commands", Data("{".utf8)).status == 400)
    }

    @Test func `a command that the customer's server fails to relay does nothing`() async throws {
        let bench = Bench()
        var phone = try await bench.activated()
        await bench.server.next(relay: .fail(status: 502))
        let command = try register(by: &phone)
        #expect(await bench.send(command).status == 502)
        #expect(await identifier(bench) != "02")
        #expect(try await bench.exchange(command, by: phone).type == 0x11)
    }

    @Test func `a command whose reply is lost is done, and asked again answered alike`()
        async throws
    {
        let bench = Bench()
        var phone = try await bench.activated()
        await bench.server.next(relay: .failAfterwards(status: 500))
        await bench.server.next(reply: .lose)
        let command = try register(by: &phone)
        #expect(await bench.send(command).status == 500)
        #expect(await identifier(bench) == "02")
        #expect(try await bench.exchange(command, by: phone).counter == 6)
    }

    @Test func `a lost reply of the platform is a gateway's time-out`() async throws {
        let bench = Bench()
        var phone = try await bench.activated()
        await bench.server.next(reply: .lose)
        let answered = await bench.send(try register(by: &phone))
        #expect(answered.status == 504)
        #expect(answered.json?["command"] == nil)
        #expect(await identifier(bench) == "02")
    }

    @Test func `a careless customer's server drops the bodies of errors`() async throws {
        let bench = Bench()
        var phone = try await bench.activated()
        await bench.server.next(relay: .stripErrorBody)
        let stripped = await bench.send(try fetch(by: &phone))
        #expect(stripped.status == 409)
        #expect(stripped.json == nil)
        await bench.server.configure { $0.stripsErrorBodies = true }
        #expect(await bench.send(try fetch(by: &phone)).json == nil)
        #expect(try await bench.exchange(register(by: &phone), by: phone).type == 0x11)
    }

    @Test func `a delayed reply comes when its time has`() async throws {
        let bench = Bench()
        var phone = try await bench.activated()
        await bench.server.next(relay: .delay(.seconds(5)))
        let command = try register(by: &phone)
        async let answered = bench.send(command)
        await bench.clock.sleeper()
        #expect(await identifier(bench) == "02")
        bench.clock.advance(by: .seconds(5))
        #expect(try phone.read(await answered.command).type == 0x11)
    }

    @Test func `a reply that is held back comes when it is released`() async throws {
        let bench = Bench()
        var phone = try await bench.activated()
        await bench.server.next(reply: .hold)
        let command = try register(by: &phone)
        async let answered = bench.send(command)
        await bench.server.untilReplyIsHeld()
        #expect(try await bench.exchange(register(by: &phone, "03"), by: phone).type == 0x11)
        await bench.server.releaseReplies()
        #expect(try phone.read(await answered.command).type == 0x11)
        #expect(await identifier(bench) == "03")
    }

    @Test func `a corrupted reply doesn't open, and the same command gets a good one`()
        async throws
    {
        let bench = Bench()
        var phone = try await bench.activated()
        await bench.server.next(reply: .corrupt(bit: 470))
        let command = try register(by: &phone)
        let corrupted = await bench.send(command).command
        #expect(throws: (any Error).self) { try phone.read(corrupted) }
        #expect(try await bench.exchange(command, by: phone).type == 0x11)
    }

    @Test func `an earlier reply and a forged error can come in a reply's place`() async throws {
        let bench = Bench()
        var phone = try await bench.activated()
        let first = await bench.send(try register(by: &phone)).command
        await bench.server.next(reply: .previous, .clearError(-1300))
        #expect(await bench.send(try register(by: &phone)).command == first)
        let command = try register(by: &phone, "03")
        let forged = try #require(Opened(clear: await bench.send(command).command))
        #expect(forged.code == -1300)
        #expect(forged.principal == phone.id)
        #expect(await identifier(bench) == "03")
    }

    @Test func `a challenge can be wrong under the right key`() async throws {
        let bench = Bench()
        var phone = try await bench.activated()
        let request = try await bench.transaction()
        await bench.server.next(reply: .otherRequest, .withoutDisplay, .undecodableDisplay)
        let other = try await bench.fetch(request, by: &phone, isTransaction: true)
        #expect(other.text(0x20) == "another-request")
        let bare = try await bench.fetch(request, by: &phone, isTransaction: true)
        #expect(bare.fields[0x24] == [0])
        #expect(bare.fields[0x25] == nil)
        let short = try await bench.fetch(request, by: &phone, isTransaction: true)
        #expect(short.fields[0x25] == [2, 0, 1, 0x41, 0, 1])
        let good = try await bench.fetch(request, by: &phone, isTransaction: true)
        #expect(try await bench.answer(Draft(to: good), by: &phone).state == 2)
    }
}
