import Crypto
import Foundation
import PushCore
import PushTesting
import Testing

@testable import PushPowerAuthSimulator

/// Exchanges that the vendor's own client encrypted, against the simulator's side of them.
struct EnvelopeVectorTests {
    private func application(_ example: JSON) throws -> PowerAuthSimulator.Application {
        PowerAuthSimulator.Application(
            id: "app", key: Secret(try b64(example["applicationKey"]?.string)),
            secret: Secret(try b64(example["applicationSecret"]?.string)), masterKey: .init())
    }

    private func scope(_ example: JSON) throws -> ECIESScope {
        let activation = try example["activationId"]?.string.map { id in
            (id: id, transport: try b64(example["transport"]?.string))
        }
        return ECIESScope(
            version: .v33, application: try application(example), activation: activation)
    }

    private func examples() throws -> [JSON] {
        try #require(Vectors("worked-example")["envelopes"]?.array)
    }

    private func session(
        _ example: JSON, _ envelope: ECIESEnvelope, _ scope: ECIESScope
    ) throws -> ECIESSession {
        if let keys = example["keys"]?.string {
            return ECIESSession(
                keys: try b64(keys), scope: scope, temporaryKey: envelope.temporaryKey)
        }
        let key = try P256.KeyAgreement.PrivateKey(
            rawRepresentation: b64(example["serverKey"]?.string))
        let info = try #require(example["sharedInfo1"]?.string)
        return try #require(envelope.session(with: key, sharedInfo: info, in: scope))
    }

    @Test func `requests open and answers are the published ones`() throws {
        for example in try examples() {
            let scope = try scope(example)
            let envelope = try #require(ECIESEnvelope(example["request"], version: .v33))
            let session = try session(example, envelope, scope)
            let plain = try b64(example["plain"]?.string)
            #expect(session.open(envelope) == plain)
            guard let answer = example["response"]?.object else { continue }
            let sealed = session.seal(
                try b64(example["responsePlain"]?.string), to: envelope,
                nonce: try b64(answer["nonce"]?.string),
                at: UInt64(try #require(answer["timestamp"]?.integer)))
            #expect(sealed == answer)
        }
    }

    @Test func `what is authenticated is as published`() throws {
        for example in try examples() {
            let scope = try scope(example)
            let id = example["request"]?["temporaryKeyId"]?.string
            if let base = example["base"]?.string { #expect(scope.base.hex == base) }
            if let associated = example["associated"]?.string {
                #expect(scope.associatedData(temporaryKey: id).hex == associated)
            }
        }
    }

    @Test func `no byte of a request can change`() throws {
        let example = try #require(try examples().first)
        let scope = try scope(example)
        for name in ["encryptedData", "mac", "nonce", "ephemeralPublicKey"] {
            var request = try #require(example["request"]?.object)
            var bytes = try b64(request[name]?.string)
            bytes[bytes.count - 1] ^= 1
            request[name] = .string(bytes.base64EncodedString())
            let envelope = try #require(ECIESEnvelope(.object(request), version: .v33))
            let key = try P256.KeyAgreement.PrivateKey(
                rawRepresentation: b64(example["serverKey"]?.string))
            let session = envelope.session(with: key, sharedInfo: "/pa/activation", in: scope)
            #expect(session?.open(envelope) == nil, "\(name)")
        }
    }
}
