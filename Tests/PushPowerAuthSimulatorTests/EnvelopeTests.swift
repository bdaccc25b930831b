import Crypto
import Foundation
import PushCore
import PushPowerAuthSimulator
import PushTesting
import Testing

/// What makes the server refuse an envelope.
struct EnvelopeTests {
    private let bench = Bench()

    private func envelope(
        _ phone: Phone, _ info: String = "/pa/token/create", time offset: Int = 0,
        plain: Data = "{}".bytes
    ) async throws -> Envelope {
        try Envelope(
            plain, info, to: await bench.activationTarget(phone), at: bench.now + offset)
    }

    private func create(_ phone: Phone, _ members: JSON.Object) async throws -> Bench.Reply {
        try await bench.signed(
            phone, "/pa/v3/token/create", "/pa/token/create", .object(members), "possession")
    }

    @Test(arguments: ["3.0", "3.1", "3.2", "3.3"])
    func `an envelope has exactly its version's members`(version: String) async throws {
        let phone = try await bench.active(version: version)
        let all: [(String, JSON)] = [
            ("nonce", .string(Raw.random(16).base64EncodedString())),
            ("timestamp", .integer(bench.now)),
            ("temporaryKeyId", .string(UUID().uuidString.lowercased())), ("extra", 1),
        ]
        let good = try await envelope(phone).members
        for (name, value) in all where good[name] == nil {
            var members = good
            members[name] = value
            #expect(try await create(phone, members).code == "ERR_ENCRYPTION", "with \(name)")
        }
        for name in good.members.map(\.name) {
            for value in [nil, JSON.null, 5, "!"] as [JSON?] {
                if name == "timestamp", value == 5 { continue }
                var members = try await envelope(phone).members
                members[name] = value
                let reply = try await create(phone, members)
                #expect(reply.code == "ERR_ENCRYPTION", "\(name): \(String(describing: value))")
            }
        }
        #expect(try await create(phone, good).status == 200)
    }

    @Test func `all refusals look alike`() async throws {
        let phone = try await bench.active()
        let other = try await bench.active("bob")
        var replies: [Bench.Reply] = []
        for name in ["encryptedData", "mac", "nonce", "ephemeralPublicKey"] {
            var members = try await envelope(phone).members
            var bytes = try b64(members[name]?.string)
            bytes[bytes.count - 1] ^= 1
            members[name] = .string(bytes.base64EncodedString())
            replies.append(try await create(phone, members))
        }
        var members = try await envelope(phone).members
        members["timestamp"] = .integer(bench.now + 1)
        replies.append(try await create(phone, members))
        replies.append(try await create(phone, envelope(phone, "/pa/vault/unlock").members))
        replies.append(try await create(phone, envelope(other).members))
        var target = try await bench.activationTarget(phone)
        target.keyID = UUID().uuidString.lowercased()
        replies.append(
            try await create(
                phone,
                Envelope("{}".bytes, "/pa/token/create", to: target, at: bench.now).members))
        for reply in replies {
            #expect(reply.code == "ERR_ENCRYPTION")
            #expect(reply == replies.first)
        }
        #expect(try await bench.record(phone).tokens.isEmpty)
        // The signatures were right, so the counter has moved with each.
        #expect(try await bench.record(phone).counter == UInt64(phone.steps))
    }

    @Test func `a changed message isn't decrypted, so bad padding looks the same`() async throws {
        let phone = try await bench.active()
        var short = try await envelope(phone).members
        short["encryptedData"] = .string(Data(count: 15).base64EncodedString())
        var empty = try await envelope(phone).members
        empty["encryptedData"] = ""
        #expect(try await create(phone, short) == create(phone, empty))
    }

    @Test func `an envelope is taken once`() async throws {
        let phone = try await bench.active()
        let members = try await envelope(phone).members
        #expect(try await create(phone, members).status == 200)
        #expect(try await create(phone, members).code == "ERR_ENCRYPTION")
        #expect(try await bench.record(phone).tokens.count == 1)
    }

    @Test(arguments: [(-60_000, true), (-60_001, false), (60_000, true), (60_001, false)])
    func `an envelope's time is within 60 seconds`(offset: Int, isTaken: Bool) async throws {
        let phone = try await bench.active()
        let reply = try await create(phone, envelope(phone, time: offset).members)
        #expect(reply.status == (isTaken ? 200 : 400))
    }

    @Test func `a server may let old envelopes pass, never early ones`() async throws {
        await bench.server.configure { $0.refusesOldEnvelopes = false }
        let phone = try await bench.active()
        #expect(
            try await create(phone, envelope(phone, time: -3_600_000).members).status == 200)
        #expect(try await create(phone, envelope(phone, time: 60_001).members).status == 400)
    }

    @Test func `a temporary key is good in its scope only`() async throws {
        let phone = try await bench.active()
        let other = try await bench.active("bob")
        for key in [
            try await bench.temporaryKey(phone.app),
            try await bench.temporaryKey(phone.app, for: other),
        ] {
            let target = phone.target(key)
            let envelope = try Envelope(
                "{}".bytes, "/pa/token/create", to: target, at: bench.now)
            #expect(try await create(phone, envelope.members).code == "ERR_ENCRYPTION")
        }
        let code = try await bench.server.createActivation(for: "eve").code
        var target = try await bench.target(phone.app)
        let activationKey = try await bench.temporaryKey(phone.app, for: phone)
        target.key = activationKey.key
        target.keyID = activationKey.id
        let outer = try Envelope(
            Bench.Exchange(code).plainOuter, "/pa/generic/application", to: target,
            at: bench.now)
        let reply = try await bench.post(
            "/pa/v3/activation/create", .object(outer.members),
            bench.encryptionHeader(phone.app))
        #expect(reply.code == "ERR_ENCRYPTION")
    }

    @Test func `a temporary key is good for its application only`() async throws {
        let random = SeededRandom(seed: 4)
        await bench.server.configure {
            $0.applications.append(.init(id: "mobile-bank", random: random))
        }
        let other = try Phone.App(
            try #require(await bench.server.configuration.applications.last?.sdkConfiguration))
        let phone = try await bench.active()
        let temporary = try await bench.temporaryKey(phone.app, for: phone)
        var target = phone.target(temporary)
        target.applicationKey = other.key
        target.applicationSecret = other.secret
        let envelope = try Envelope("{}".bytes, "/pa/token/create", to: target, at: bench.now)
        // The other key is of the same application, so its signature is right.
        let reply = try await bench.signed(
            phone, "/pa/v3/token/create", "/pa/token/create", .object(envelope.members),
            "possession", .init(applicationKey: other.key, secret: other.secret))
        #expect(reply.code == "ERR_ENCRYPTION")
    }

    @Test func `forgotten temporary keys are gone`() async throws {
        let phone = try await bench.active()
        let members = try await envelope(phone).members
        await bench.server.forgetTemporaryKeys()
        #expect(try await create(phone, members).code == "ERR_ENCRYPTION")
    }

    @Test func `an encryption header is needed, unless there is a signature`() async throws {
        let app = try await bench.app
        let code = try await bench.server.createActivation(for: "ada").code
        let target = try await bench.target(app)
        let outer = try Envelope(
            Bench.Exchange(code).plainOuter, "/pa/generic/application", to: target,
            at: bench.now)
        for header in ["", "PowerAuth", "PowerAuth version=\"3.3\"", "Bearer x"] {
            let reply = try await bench.post(
                "/pa/v3/activation/create", .object(outer.members),
                ["X-PowerAuth-Encryption": header])
            #expect(reply.code == "ERR_ENCRYPTION")
        }
        let phone = try await bench.active("bob")
        let body = JSON.object(try await envelope(phone).members).data
        let reply = try await bench.post(
            "/pa/v3/token/create", body,
            [
                "X-PowerAuth-Authorization": phone.header("possession", "/pa/token/create", body),
                "X-PowerAuth-Encryption": "nonsense",
            ])
        #expect(reply.status == 200)
    }

    @Test func `a point may be uncompressed`() async throws {
        let phone = try await bench.active()
        let envelope = try Envelope(
            "{}".bytes, "/pa/token/create", to: await bench.activationTarget(phone),
            at: bench.now, compressed: false)
        let reply = try await create(phone, envelope.members)
        #expect(try envelope.open(reply.json)["tokenId"]?.string != nil)
    }

    @Test func `spoiled answers are spoiled as asked`() async throws {
        let phone = try await bench.active()
        for fault in [PowerAuthSimulator.BadAnswer.tampered, .wrongKey] {
            await bench.server.spoil(by: fault, at: .tokenCreation)
            let sent = try await envelope(phone)
            let reply = try await create(phone, sent.members)
            #expect(reply.status == 200)
            #expect(try !sent.isGenuine(reply.json))
        }
        await bench.server.spoil(
            by: .replaced(member: "tokenSecret", value: "AA=="), at: .tokenCreation)
        let sent = try await envelope(phone)
        let reply = try await create(phone, sent.members)
        #expect(try sent.open(reply.json)["tokenSecret"] == "AA==")
    }
}
