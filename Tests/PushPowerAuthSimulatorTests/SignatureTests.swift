import Crypto
import Foundation
import PushCore
import PushPowerAuthSimulator
import PushTesting
import Testing

/// What the server makes of signatures, right and wrong.
struct SignatureTests {
    private let bench = Bench()

    private func failures(_ phone: Phone) async throws -> Int {
        try await bench.record(phone).failedAttempts
    }

    @Test(arguments: [(0, true), (19, true), (20, false)])
    func `the server looks 20 values ahead`(lost: Int, isTaken: Bool) async throws {
        let phone = try await bench.active()
        phone.advance(lost)
        #expect(try await bench.validate(phone).status == (isTaken ? 200 : 401))
        #expect(try await bench.record(phone).counter == (isTaken ? UInt64(lost + 1) : 0))
    }

    @Test func `a counter's value counts once, and so do those before it`() async throws {
        let phone = try await bench.active()
        let earlier = phone.counter
        phone.advance(3)
        let kept = Phone.Twist(keepsCounter: true)
        #expect(try await bench.validate(phone, "possession", kept).status == 200)
        #expect(try await bench.validate(phone, "possession", kept).status == 401)
        phone.counter = earlier
        #expect(try await bench.validate(phone, "possession").status == 401)
    }

    @Test func `five wrong ones block, and a right one no longer helps`() async throws {
        let phone = try await bench.active()
        for attempt in 1...4 {
            _ = try await bench.validate(
                phone, "possession_knowledge", .init(wrong: "knowledge"))
            #expect(try await failures(phone) == attempt)
            #expect(try await bench.record(phone).state == .active)
        }
        _ = try await bench.validate(phone, "possession_biometry", .init(wrong: "biometry"))
        let record = try await bench.record(phone)
        #expect(record.state == .blocked)
        #expect(record.blockedReason == "MAX_FAILED_ATTEMPTS")
        #expect(try await bench.validate(phone).status == 401)
        #expect(try await failures(phone) == 5)
        try await bench.server.unblock(phone.id)
        #expect(try await failures(phone) == 0)
        #expect(try await bench.validate(phone).status == 200)
    }

    @Test func `only a right second factor forgives`() async throws {
        let phone = try await bench.active()
        let wrong = Phone.Twist(wrong: "knowledge")
        _ = try await bench.validate(phone, "possession_knowledge", wrong)
        #expect(try await bench.validate(phone, "possession").status == 200)
        #expect(try await failures(phone) == 1)
        _ = try await bench.validate(phone, "possession", .init(wrong: "possession"))
        #expect(try await failures(phone) == 1)
        #expect(try await bench.validate(phone, "possession_biometry").status == 200)
        #expect(try await failures(phone) == 0)
    }

    @Test func `a wrong possession alone never blocks`() async throws {
        let phone = try await bench.active()
        for _ in 0..<8 {
            _ = try await bench.validate(
                phone, "possession", .init(wrong: "possession", keepsCounter: true))
        }
        #expect(try await failures(phone) == 0)
        #expect(try await bench.validate(phone, "possession").status == 200)
    }

    @Test func `a foreign application key counts as a wrong signature`() async throws {
        let random = SeededRandom(seed: 4)
        await bench.server.configure {
            $0.applications.append(.init(id: "other", random: random))
        }
        let other = try #require(await bench.server.configuration.applications.last)
        let phone = try await bench.active()
        let unknown = Phone.Twist(applicationKey: Data(count: 16).base64EncodedString())
        #expect(try await bench.validate(phone, "possession_knowledge", unknown).status == 401)
        #expect(try await failures(phone) == 1)
        let foreign = Phone.Twist(applicationKey: other.key, secret: other.secret)
        #expect(try await bench.validate(phone, "possession_knowledge", foreign).status == 401)
        #expect(try await failures(phone) == 2)
        #expect(try await bench.validate(phone, "possession", foreign).status == 401)
        #expect(try await failures(phone) == 2)
        #expect(try await bench.record(phone).counter == 0)
    }

    @Test func `body, endpoint and nonce are signed`() async throws {
        let phone = try await bench.active()
        let path = "/pa/v3/signature/validate"
        let uri = "/pa/signature/validate"
        let body = "{\"requestObject\":{}}".bytes
        func send(_ header: String, _ body: Data) async throws -> Int {
            try await bench.post(path, body, ["X-PowerAuth-Authorization": header]).status
        }
        #expect(try await send(phone.header("possession", uri, body), body + [0x20]) == 401)
        #expect(try await send(phone.header("possession", "/pa/token/create", body), body) == 401)
        let header = phone.header("possession", uri, body, .init(nonce: Data(count: 16)))
        let other = header.replacingOccurrences(
            of: Data(count: 16).base64EncodedString(),
            with: Data(repeating: 1, count: 16).base64EncodedString())
        #expect(try await send(other, body) == 401)
        #expect(try await send(phone.header("possession", uri, body), body) == 200)
    }

    @Test func `a malformed header is refused before it is checked`() async throws {
        let phone = try await bench.active()
        let good = phone.header(
            "possession_knowledge", "/pa/signature/validate", Data(),
            .init(wrong: "knowledge"))
        let changes: [(String, String)] = [
            ("PowerAuth ", "Bearer "), ("pa_version=\"3.3\", ", ""), ("pa_version", "version"),
            (", pa_nonce", " pa_nonce"), ("pa_nonce=\"", "pa_nonce=\"AAAA"),
            (phone.id, "1"), (phone.id, phone.id.replacingOccurrences(of: "-", with: "_")),
            ("possession_knowledge", "knowledge_possession"),
            (
                "pa_signature=\"",
                "pa_signature=\""
                    + "AAAA"
            ), (phone.app.key, "AAAA"), ("\", pa_a", "\" pa_a"),
            ("pa_nonce", "pa_version=\"3.3\", pa_nonce"),
        ]
        var replies: [Bench.Reply] = []
        for (old, new) in changes {
            let header = good.replacingOccurrences(of: old, with: new)
            #expect(header != good)
            replies.append(
                try await bench.post(
                    "/pa/v3/signature/validate", Data(), ["X-PowerAuth-Authorization": header]))
        }
        replies.append(try await bench.post("/pa/v3/signature/validate", Data()))
        #expect(try await failures(phone) == 0)
        // A well-formed one that is wrong gets the same answer, but counts.
        replies.append(
            try await bench.post(
                "/pa/v3/signature/validate", Data(), ["X-PowerAuth-Authorization": good]))
        #expect(try await failures(phone) == 1)
        for reply in replies {
            #expect(reply.status == 401)
            #expect(reply.code == "ERR_AUTHENTICATION")
            #expect(reply == replies.first)
        }
    }

    @Test func `the order of a header's pairs is free`() async throws {
        let phone = try await bench.active()
        let header = phone.header("possession", "/pa/signature/validate", Data())
        let pairs = header.dropFirst("PowerAuth ".count).components(separatedBy: ", ")
        let turned = "PowerAuth " + pairs.reversed().joined(separator: ",")
        #expect(
            try await bench.post(
                "/pa/v3/signature/validate", Data(), ["X-PowerAuth-Authorization": turned]
            ).status == 200)
    }

    @Test func `unknown and unready activations look like wrong signatures`() async throws {
        let phone = try await bench.active()
        let blocked = try await bench.active("bob")
        try await bench.server.block(blocked.id)
        let removed = try await bench.active("eve")
        try await bench.server.remove(removed.id)
        let wrong = try await bench.validate(phone, "possession", .init(wrong: "possession"))
        let unknown = Phone.Twist(activation: UUID().uuidString)
        #expect(try await bench.validate(phone, "possession", unknown) == wrong)
        #expect(try await bench.validate(blocked) == wrong)
        #expect(try await bench.validate(removed) == wrong)
    }

    @Test(arguments: [-3, 4])
    func `a moved counter shows in status and signatures`(by: Int) async throws {
        let phone = try await bench.active()
        for _ in 0..<5 { _ = try await bench.validate(phone, "possession") }
        try await bench.server.setCounter(of: phone.id, to: 5 + by)
        #expect(Int(try await bench.blob(phone)[12]) == 5 + by)
        // A server behind catches up; one ahead knows the device's value no more.
        #expect(try await bench.validate(phone, "possession").status == (by < 0 ? 200 : 401))
        await #expect(throws: PushError.self) {
            try await bench.server.setCounter(of: phone.id, to: -1)
        }
    }

    @Test func `the vault opens to knowledge, and to biometry if it may`() async throws {
        let phone = try await bench.active()
        func unlock(_ type: String, _ plain: JSON = ["reason": "ADD_BIOMETRY"]) async throws
            -> (Bench.Reply, Envelope)
        {
            let envelope = try Envelope(
                plain.data, "/pa/vault/unlock", to: await bench.activationTarget(phone),
                at: bench.now)
            let reply = try await bench.signed(
                phone, "/pa/v3/vault/unlock", "/pa/vault/unlock", .object(envelope.members), type)
            return (reply, envelope)
        }
        let (reply, envelope) = try await unlock("possession_knowledge")
        let locked = try envelope.open(reply.json)["encryptedVaultEncryptionKey"]?.string
        let vault = try Raw.unaes(
            b64(locked), phone.transport, iv: Data(count: 16), pads: true)
        let z = try phone.key.sharedSecretFromKeyAgreement(with: phone.serverKey)
            .withUnsafeBytes { Data($0) }
        #expect(try vault == Raw.kdf(Raw.xor16(z), 2000))
        for type in ["possession", "possession_biometry", "possession_knowledge_biometry"] {
            let refused = try await unlock(type).0
            #expect(refused.status == 400)
            #expect(refused.code == "ERR_SECURE_VAULT")
        }
        for reason in ["", "ab", "a b", String(repeating: "a", count: 256)] {
            let refused = try await unlock("possession_knowledge", ["reason": .string(reason)]).0
            #expect(refused.code == "ERR_SECURE_VAULT")
        }
        #expect(try await bench.record(phone).failedAttempts == 0)
        #expect(try await bench.record(phone).counter == 1)
        #expect(try await unlock("possession_knowledge", [:]).0.status == 200)
        #expect(await bench.server.unlockReasons == ["ADD_BIOMETRY", "NOT_SPECIFIED"])
        await bench.server.configure { $0.unlocksVaultWithBiometry = true }
        #expect(try await unlock("possession_biometry").0.status == 200)
    }
}
