import Foundation
import PushCore
import PushPowerAuthSimulator
import PushTesting
import Testing

/// The status blob, and what it doesn't tell.
struct StatusTests {
    private let bench = Bench()

    @Test func `the blob tells state, attempts and counter`() async throws {
        let phone = try await bench.active()
        var blob = try await bench.blob(phone)
        #expect(blob[0..<7] == [0xDE, 0xC0, 0xDE, 0xD1, 3, 3, 3])
        #expect(blob[12..<16] == [0, 0, 5, 20])
        #expect(try await bench.validate(phone).status == 200)
        #expect(
            try await bench.validate(phone, "possession_knowledge", .init(wrong: "knowledge"))
                .status == 401)
        blob = try await bench.blob(phone)
        #expect(blob[12..<16] == [1, 1, 5, 20])
        // The server is one step behind: the wrong signature moved the device's counter alone.
        let key = try Raw.kdf(phone.transport, 4000)
        #expect(Data(blob[16...]) != Raw.xor16(Raw.hmac(key, phone.counter)))
        #expect(try await bench.validate(phone).status == 200)
        blob = try await bench.blob(phone)
        #expect(Data(blob[16...]) == Raw.xor16(Raw.hmac(key, phone.counter)))
        #expect(blob[12] == 3)
        #expect(blob[13] == 0)
    }

    @Test func `each state has its number`() async throws {
        let phone = try await bench.exchanged()
        #expect(try await bench.blob(phone)[4] == 2)
        try await bench.server.commit(phone.id)
        #expect(try await bench.blob(phone)[4] == 3)
        try await bench.server.block(phone.id)
        #expect(try await bench.blob(phone)[4] == 4)
        try await bench.server.unblock(phone.id)
        try await bench.server.remove(phone.id)
        #expect(try await bench.blob(phone)[4] == 5)
    }

    @Test func `who is unknown or has no keys gets 32 random bytes`() async throws {
        let created = try await bench.server.createActivation(for: "ada").id
        let unknown = UUID().uuidString.lowercased()
        let known = try await bench.active().id
        var shapes: [Set<String>] = []
        var blobs: Set<String> = []
        for id in [created, created, unknown, unknown, known] {
            let reply = try await bench.status(id)
            #expect(reply.status == 200)
            let object = try #require(reply.object?.object)
            #expect(object["activationId"]?.string == id)
            let blob = try b64(object["encryptedStatusBlob"]?.string)
            #expect(blob.count == 32)
            #expect(try b64(object["nonce"]?.string).count == 16)
            blobs.insert(blob.hex)
            shapes.append(Set(object.members.map(\.name)))
        }
        #expect(blobs.count == 5)
        #expect(Set(shapes).count == 1)
    }

    @Test func `a challenge has 16 bytes`() async throws {
        let phone = try await bench.active()
        for count in [0, 15, 17] {
            #expect(try await bench.status(phone.id, Raw.random(count)).status == 400)
        }
        #expect(try await bench.post("/pa/v3/activation/status", [:]).status == 400)
    }

    @Test func `spoiled blobs are spoiled as asked`() async throws {
        let phone = try await bench.active()
        await bench.server.spoil(by: .tampered, at: .status)
        #expect(try await bench.blob(phone)[0..<3] != [0xDE, 0xC0, 0xDE])
        await bench.server.spoil(by: .randomBlob, at: .status)
        #expect(try await bench.blob(phone)[0..<3] != [0xDE, 0xC0, 0xDE])
        await bench.server.spoil(
            by: .replaced(member: "nonce", value: "AA=="), at: .status)
        #expect(try await bench.status(phone.id).object?["nonce"] == "AA==")
        #expect(try await bench.blob(phone)[0..<3] == [0xDE, 0xC0, 0xDE])
    }

    @Test func `a custom object and the server's time are told`() async throws {
        let phone = try await bench.active()
        #expect(try await bench.status(phone.id).object?["customObject"] == nil)
        await bench.server.configure { $0.customObject = ["bank": "example"] }
        #expect(
            try await bench.status(phone.id).object?["customObject"] == ["bank": "example"])
        let time = try await bench.post("/pa/v3/status", [:])
        #expect(time.object?["serverTime"]?.integer == 1_730_000_000_250)
    }
}
