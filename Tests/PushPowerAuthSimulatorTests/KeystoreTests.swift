import Crypto
import Foundation
import IndependentEncodings
import PushCore
import PushPowerAuthSimulator
import PushTesting
import Testing

/// Temporary keys: who gets one, and what is said of it.
struct KeystoreTests {
    private static let refused = "ERR_TEMPORARY_KEY"

    @Test func `each scope's key is signed by that scope's key`() async throws {
        let bench = Bench()
        let phone = try await bench.active()
        _ = try await bench.temporaryKey(bench.app)
        _ = try await bench.temporaryKey(bench.app, for: phone)
    }

    @Test func `all refusals look alike`() async throws {
        let bench = Bench()
        let app = try await bench.app
        let phone = try await bench.active()
        let pending = try await bench.exchanged("bob")
        let application = try bench.keyRequest(app)
        let activation = try bench.keyRequest(app, for: phone)
        var replies: [Bench.Reply] = []
        var spoiled = application.claims
        spoiled["applicationKey"] = .string(Raw.random(16).base64EncodedString())
        replies.append(try await bench.askForKey(spoiled, by: application.key))
        spoiled = application.claims
        spoiled["challenge"] = nil
        replies.append(try await bench.askForKey(spoiled, by: application.key))
        // The secret's text instead of its bytes.
        replies.append(try await bench.askForKey(application.claims, by: app.secret.bytes))
        replies.append(try await bench.askForKey(activation.claims, by: application.key))
        spoiled = activation.claims
        spoiled["activationId"] = .string(UUID().uuidString.lowercased())
        replies.append(try await bench.askForKey(spoiled, by: activation.key))
        let early = try bench.keyRequest(app, for: pending)
        replies.append(try await bench.askForKey(early.claims, by: early.key))
        let jwt = bench.requestToken(application.claims, by: application.key, algorithm: "none")
        let path = "/pa/v3/keystore/create"
        replies.append(
            try await bench.post(path, ["requestObject": ["jwt": .string(jwt)]]))
        replies.append(try await bench.post(path, [:]))
        for reply in replies {
            #expect(reply.status == 400)
            #expect(reply.code == Self.refused)
            #expect(reply == replies.first)
        }
    }

    @Test func `blocked activations get keys, removed ones don't`() async throws {
        let bench = Bench()
        let phone = try await bench.active()
        try await bench.server.block(phone.id)
        _ = try await bench.temporaryKey(bench.app, for: phone)
        try await bench.server.remove(phone.id)
        let request = try bench.keyRequest(phone.app, for: phone)
        #expect(try await bench.askForKey(request.claims, by: request.key).code == Self.refused)
    }

    @Test func `an application that isn't supported any more gets none`() async throws {
        let bench = Bench()
        let request = try bench.keyRequest(await bench.app)
        await bench.server.configure { $0.applications[0].isSupported = false }
        #expect(try await bench.askForKey(request.claims, by: request.key).code == Self.refused)
    }

    @Test func `a key lasts 300 seconds`() async throws {
        for (seconds, isGood) in [(299.9, true), (300, false)] {
            let bench = Bench()
            let app = try await bench.app
            await bench.server.configure { $0.activationLifetime = .seconds(1000) }
            let code = try await bench.server.createActivation(for: "ada").code
            let target = try await bench.target(app)
            bench.clock.advance(by: .seconds(seconds))
            let exchange = Bench.Exchange(code)
            let inner = try Envelope(
                JSON.object(exchange.inner).data, "/pa/activation", to: target, at: bench.now)
            var plain = exchange.outer
            plain["activationData"] = .object(inner.members)
            let outer = try Envelope(
                JSON.object(plain).data, "/pa/generic/application", to: target, at: bench.now)
            let reply = try await bench.post(
                "/pa/v3/activation/create", .object(outer.members), bench.encryptionHeader(app))
            #expect(reply.status == (isGood ? 200 : 400))
            if !isGood { #expect(reply.code == "ERR_ENCRYPTION") }
        }
    }

    @Test func `spoiled keys are spoiled as asked`() async throws {
        let bench = Bench()
        let app = try await bench.app
        let request = try bench.keyRequest(app)
        func token() async throws -> (header: JSON, claims: JSON, isSigned: Bool) {
            let reply = try await bench.askForKey(request.claims, by: request.key)
            let token = try CompactJWS(#require(reply.object?["jwt"]?.string))
            let master = try P256.Signing.PublicKey(
                x963Representation: app.masterKey.x963Representation)
            let signature = try? P256.Signing.ECDSASignature(rawRepresentation: token.signature)
            let isSigned = signature.map { master.isValidSignature($0, for: token.signed) }
            return (token.header, token.claims, isSigned ?? false)
        }
        for fault in [PowerAuthSimulator.BadAnswer.tampered, .wrongKey, .unsigned] {
            await bench.server.spoil(by: fault, at: .keystore)
            let token = try await token()
            #expect(!token.isSigned, "\(fault)")
            #expect(token.header["alg"] == (fault == .unsigned ? "none" : "ES256"))
        }
        await bench.server.spoil(
            by: .replaced(member: "challenge", value: "other"), at: .keystore)
        let replaced = try await token()
        #expect(replaced.isSigned)
        #expect(replaced.claims["challenge"] == "other")
        #expect(try await token().isSigned)
    }
}
