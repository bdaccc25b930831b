import Crypto
import Foundation
import PushCore
import PushPowerAuthSimulator
import PushTesting
import Testing

/// The exchange of keys and the commit.
struct ActivationTests {
    typealias Options = PowerAuthSimulator.ActivationOptions

    private let bench = Bench()

    private func code(_ options: Options = Options()) async throws -> (id: String, code: String) {
        let record = try await bench.server.createActivation(for: "ada", options)
        return (record.id, record.code)
    }

    @Test func `an invitation is a code with the master key's signature`() async throws {
        let invitation = try await bench.server.invitation(for: "ada")
        let text = try #require(invitation.scannedText)
        let parts = text.split(separator: "#", maxSplits: 1)
        try #require(parts.count == 2 && parts[0].utf8.count == 23)
        let key = try P256.Signing.PublicKey(
            x963Representation: await bench.app.masterKey.x963Representation)
        let signature = try P256.Signing.ECDSASignature(
            derRepresentation: b64(String(parts[1])))
        #expect(key.isValidSignature(signature, for: Data(parts[0].utf8)))
        #expect(await bench.server.activations(of: "ada").map(\.text) == [text])
    }

    @Test func `a device waits for the commit`() async throws {
        let phone = try await bench.exchanged()
        var record = try await bench.record(phone)
        #expect(record.state == .pendingCommit)
        #expect(record.deviceName == "Ada's phone")
        #expect(record.platform == "ios")
        #expect(record.deviceInfo == "iPhone12,3")
        #expect(record.fingerprint == phone.fingerprint)
        #expect(try await bench.validate(phone).status == 401)
        #expect(try await bench.record(phone).failedAttempts == 0)
        try await bench.server.commit(phone.id)
        record = try await bench.record(phone)
        #expect(record.state == .active)
        #expect(try await bench.validate(phone).status == 200)
        await #expect(throws: PushError.self) { try await bench.server.commit(phone.id) }
    }

    @Test func `an activation may be active at once`() async throws {
        var options = Options()
        options.commitPhase = .onKeyExchange
        let phone = try await bench.exchanged("ada", options)
        #expect(try await bench.record(phone).state == .active)
    }

    @Test func `a code works once`() async throws {
        let (_, code) = try await code()
        #expect(try await bench.send(Bench.Exchange(code)).reply.status == 200)
        #expect(try await bench.send(Bench.Exchange(code)).reply.code == "ERR_ACTIVATION")
    }

    @Test func `all refusals look alike`() async throws {
        let (_, used) = try await code()
        _ = try await bench.send(Bench.Exchange(used))
        let (_, code) = try await code()
        var options = Options()
        options.password = .onKeyExchange("1234")
        let (_, secured) = try await self.code(options)
        var exchanges = [
            Bench.Exchange(used), Bench.Exchange("AAAAA-AAAAA-AAAAA-AAAAA"),
            Bench.Exchange(code.lowercased()), Bench.Exchange(secured),
        ]
        var exchange = Bench.Exchange(secured)
        exchange.inner["activationOtp"] = "4321"
        exchanges.append(exchange)
        exchange = Bench.Exchange(code)
        exchange.inner["activationOtp"] = "1234"
        exchanges.append(exchange)
        exchange = Bench.Exchange(code)
        exchange.outer["type"] = "CUSTOM"
        exchanges.append(exchange)
        for bad in [Data(count: 33), Data([2]) + Data(repeating: 0xFF, count: 32), Data([4])] {
            exchange = Bench.Exchange(code)
            exchange.inner["devicePublicKey"] = .string(bad.base64EncodedString())
            exchanges.append(exchange)
        }
        var first: Bench.Reply?
        for exchange in exchanges {
            let reply = try await bench.send(exchange).reply
            #expect(reply.status == 400)
            #expect(reply.code == "ERR_ACTIVATION")
            first = first ?? reply
            #expect(reply == first)
        }
        // None of them used the code up.
        #expect(try await bench.send(Bench.Exchange(code)).reply.status == 200)
    }

    @Test func `a key may come uncompressed`() async throws {
        let (id, code) = try await code()
        var exchange = Bench.Exchange(code)
        exchange.inner["devicePublicKey"] = .string(
            exchange.key.publicKey.x963Representation.base64EncodedString())
        let answer = try #require(try await bench.send(exchange).answer)
        let phone = try Phone(await bench.app, version: "3.3", key: exchange.key, answer)
        #expect(phone.id == id)
        #expect(try await bench.record(phone).fingerprint == phone.fingerprint)
    }

    @Test func `a code and its commit come within 300 seconds of its creation`() async throws {
        let late = try await code()
        let used = try await bench.exchanged("bob")
        bench.clock.advance(by: .seconds(299))
        let justInTime = try await bench.send(
            Bench.Exchange(try await code().code))
        #expect(justInTime.reply.status == 200)
        bench.clock.advance(by: .seconds(1))
        #expect(try await bench.send(Bench.Exchange(late.code)).reply.code == "ERR_ACTIVATION")
        #expect(try await bench.server.activation(late.id).state == .removed)
        #expect(try await bench.record(used).state == .removed)
        await #expect(throws: PushError.self) { try await bench.server.commit(used.id) }
    }

    @Test func `an active one has no deadline`() async throws {
        let phone = try await bench.active()
        bench.clock.advance(by: .seconds(301))
        #expect(try await bench.record(phone).state == .active)
    }

    @Test func `a password at the exchange activates, five wrong ones remove`() async throws {
        var options = Options()
        options.password = .onKeyExchange("7777")
        let (id, code) = try await code(options)
        var exchange = Bench.Exchange(code)
        for attempt in 1...4 {
            exchange.inner["activationOtp"] = "7778"
            _ = try await bench.send(exchange)
            #expect(try await bench.server.activation(id).failedAttempts == attempt)
        }
        // A missing one isn't a guess.
        exchange.inner["activationOtp"] = nil
        _ = try await bench.send(exchange)
        #expect(try await bench.server.activation(id).state == .created)
        exchange.inner["activationOtp"] = "7777"
        #expect(try await bench.send(exchange).reply.status == 200)
        #expect(try await bench.server.activation(id).state == .active)
        #expect(try await bench.server.activation(id).failedAttempts == 0)
        let (other, otherCode) = try await self.code(options)
        exchange = Bench.Exchange(otherCode)
        exchange.inner["activationOtp"] = "0"
        for _ in 1...5 { _ = try await bench.send(exchange) }
        #expect(try await bench.server.activation(other).state == .removed)
    }

    @Test func `a password for the commit is the back office's`() async throws {
        var options = Options()
        options.password = .onCommit("7777")
        let phone = try await bench.exchanged("ada", options)
        await #expect(throws: PushError.self) { try await bench.server.commit(phone.id) }
        #expect(try await bench.record(phone).failedAttempts == 0)
        await #expect(throws: PushError.self) {
            try await bench.server.commit(phone.id, password: "1")
        }
        #expect(try await bench.record(phone).failedAttempts == 1)
        try await bench.server.commit(phone.id, password: "7777")
        #expect(try await bench.record(phone).state == .active)
    }

    @Test(arguments: ["activationType", "extra"])
    func `a member too many in the outer layer is refused`(member: String) async throws {
        let (_, code) = try await code()
        var exchange = Bench.Exchange(code)
        exchange.outer[member] = "CODE"
        #expect(try await bench.send(exchange).reply.code == "ERR_ENCRYPTION")
        exchange.outer[member] = nil
        exchange.outer["customAttributes"] = ["any": "value"]
        #expect(try await bench.send(exchange).reply.status == 200)
    }

    @Test func `a member missing in the outer layer is refused`() async throws {
        let (_, code) = try await code()
        for member in ["type", "identityAttributes"] {
            var exchange = Bench.Exchange(code)
            exchange.outer[member] = nil
            #expect(try await bench.send(exchange).reply.code == "ERR_ENCRYPTION")
        }
    }

    @Test(
        arguments: [
            ("devicePublicKey", nil), ("activationName", nil), ("activationName", ""),
            ("platform", nil), ("platform", "aps"), ("platform", 1), ("deviceInfo", nil),
            ("version", "3.3"),
        ] as [(String, JSON?)])
    func `the inner layer has its members and no others`(
        member: String, value: JSON?
    ) async throws {
        let (_, code) = try await code()
        var exchange = Bench.Exchange(code)
        exchange.inner[member] = value
        #expect(try await bench.send(exchange).reply.code == "ERR_ACTIVATION")
        exchange = Bench.Exchange(code)
        exchange.inner["extras"] = "any"
        #expect(try await bench.send(exchange).reply.status == 200)
    }

    @Test func `a code belongs to one application`() async throws {
        let random = SeededRandom(seed: 99)
        await bench.server.configure {
            $0.applications.append(.init(id: "other", random: random))
        }
        let other = try #require(await bench.server.configuration.applications.last)
        var options = Options()
        options.applicationKey = other.key
        let (_, code) = try await code(options)
        #expect(try await bench.send(Bench.Exchange(code)).reply.code == "ERR_ACTIVATION")
        options.applicationKey = "nobody's"
        await #expect(throws: PushError.self) { try await self.code(options) }
    }

    @Test func `removing takes two factors`() async throws {
        let phone = try await bench.tokened()
        let path = "/pa/v3/activation/remove"
        let uri = "/pa/activation/remove"
        #expect(try await bench.signed(phone, path, uri, [:], "possession").status == 401)
        let reply = try await bench.signed(phone, path, uri)
        #expect(reply.object?["activationId"]?.string == phone.id)
        let record = try await bench.record(phone)
        #expect(record.state == .removed)
        #expect(record.tokens.isEmpty)
        #expect(try await bench.blob(phone)[4] == 5)
        #expect(try await bench.validate(phone).status == 401)
    }
}
