import Crypto
import Foundation
import PushCore
import PushTesting
import Testing

@testable import PushPowerAuth

/// Each version, in application scope and in activation scope.
let versionsAndScopes = PowerAuthVersion.allCases.flatMap { version in
    [false, true].map { (version, $0) }
}

struct RequestEncryptorTests {
    private let now = Date(timeIntervalSince1970: 1_723_109_505.420)
    private let plain = "{\"é\":\"1\"}"

    @Test(arguments: versionsAndScopes)
    func `a server opens what was sealed for it, and its response is opened`(
        version: PowerAuthVersion, inActivation: Bool
    ) throws {
        let server = try ReferenceServer(version, inActivation: inActivation)
        let encryptor = try server.encryptor(SeededRandom(seed: 1))
        for length in [0, 1, 15, 16, 17, 200, 4096] {
            let plain = SeededRandom(seed: 2).bytes(length)
            let (body, opener) = try encryptor.seal(plain, timestamp: now)
            let exchange = try server.open(body)
            #expect(Secret(exchange.plain).isEqualInConstantTime(to: plain))
            let answer = try exchange.response(exchange.plain + [1])
            #expect(try opener.open(answer).withBytes { Array($0) } == exchange.plain + [1])
        }
    }

    @Test(arguments: [
        (
            PowerAuthVersion.v3_1,
            ["ephemeralPublicKey", "encryptedData", "mac", "nonce"]
        ),
        (.v3_2, ["ephemeralPublicKey", "encryptedData", "mac", "nonce", "timestamp"]),
        (
            .v3_3,
            [
                "temporaryKeyId", "ephemeralPublicKey", "encryptedData", "mac", "nonce",
                "timestamp",
            ]
        ),
    ])
    func `an envelope has exactly the members of its version, of the right sizes`(
        version: PowerAuthVersion, names: [String]
    ) throws {
        let server = try ReferenceServer(version, inActivation: true)
        let body = try server.encryptor(SystemRandom()).seal(Secret("{}".utf8), timestamp: now).body
        let members = try #require(body.object).members
        #expect(members.map(\.name) == names)
        let sizes = ["ephemeralPublicKey": 33, "encryptedData": 16, "mac": 32, "nonce": 16]
        for (name, size) in sizes {
            #expect(try Wire.decode(#require(body[name]?.string)).count == size)
        }
        #expect(body["timestamp"] == (version == .v3_1 ? nil : 1_723_109_505_420))
        #expect(body["temporaryKeyId"]?.string == server.keyID)
    }

    @Test func `a plaintext of whole blocks gets a block of padding, as does an empty one`() throws
    {
        let encryptor = try ReferenceServer(.v3_3, inActivation: false).encryptor(SystemRandom())
        for (length, expected) in [(0, 16), (15, 16), (16, 32), (31, 32), (32, 48)] {
            let body = try encryptor.seal(SystemRandom().bytes(length), timestamp: now).body
            #expect(
                try Wire.decode(#require(body["encryptedData"]?.string)).count == expected)
        }
    }

    @Test func `no two envelopes share an ephemeral key, a nonce or a ciphertext`() throws {
        let encryptor = try ReferenceServer(.v3_3, inActivation: false).encryptor(SystemRandom())
        var seen: [String: Set<String>] = [:]
        for _ in 0..<50 {
            let body = try encryptor.seal(Secret(plain.utf8), timestamp: now).body
            for name in ["ephemeralPublicKey", "nonce", "encryptedData", "mac"] {
                seen[name, default: []].insert(try #require(body[name]?.string))
            }
        }
        #expect(seen.count == 4)
        #expect(seen.values.allSatisfy { $0.count == 50 })
    }

    @Test func `ephemeral key and nonce are drawn from the source, 32 bytes and 16`() throws {
        let key = [UInt8](1...32)
        let nonce = [UInt8](100..<116)
        let server = try ReferenceServer(.v3_3, inActivation: true)
        let body = try server.encryptor(ScriptedRandom(key, nonce))
            .seal(Secret(plain.utf8), timestamp: now).body
        let expected = try P256.KeyAgreement.PrivateKey(rawRepresentation: key).publicKey
        #expect(
            body["ephemeralPublicKey"]?.string == Wire.base64(expected.compressedRepresentation))
        #expect(body["nonce"]?.string == Wire.base64(nonce))
        #expect(try server.open(body).plain == Array(plain.utf8))
    }

    @Test func `random bytes that are no private key are drawn again`() throws {
        // Neither 0 nor the order of the curve is a private key (SEC 1 section 3.2.1).
        let order: [UInt8] = [
            0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
            0xFF, 0xFF, 0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2,
            0xFC, 0x63, 0x25, 0x51,
        ]
        let key = [UInt8](1...32)
        let source = ScriptedRandom(
            [UInt8](repeating: 0, count: 32), order, [UInt8](repeating: 0xFF, count: 32), key,
            [UInt8](100..<116))
        let server = try ReferenceServer(.v3_3, inActivation: false)
        let body = try server.encryptor(source).seal(Secret(plain.utf8), timestamp: now).body
        let expected = try P256.KeyAgreement.PrivateKey(rawRepresentation: key).publicKey
        #expect(
            body["ephemeralPublicKey"]?.string == Wire.base64(expected.compressedRepresentation))
    }

    @Test func `a source that yields no private key is refused, not asked for ever`() throws {
        let encryptor = try ReferenceServer(.v3_3, inActivation: false)
            .encryptor(ScriptedRandom())
        #expect(
            refusal { () throws(PushError) in
                try encryptor.seal(Secret("{}".utf8), timestamp: now)
            } == .invalidArgument)
    }

    @Test(arguments: PowerAuthVersion.allCases, [nil, "D3D82A6B"])
    func `only version 3 point 3 seals for a key with an identifier, and only for such`(
        version: PowerAuthVersion, id: String?
    ) throws {
        let key = EncryptionKey(id: id, publicKey: try Wire.point(Wire.privateKey(7)))
        let scope = try Wire.scope(inActivation: false)
        let code = refusal { () throws(PushError) in
            try RequestEncryptor(
                version: version, scope: scope, key: key, sharedInfo1: "/a",
                random: SystemRandom())
        }
        #expect(code == ((version == .v3_3) == (id != nil) ? nil : .invalidArgument))
    }

    @Test func `an envelope for one purpose, scope, version or server is no other's`() throws {
        let server = try ReferenceServer(.v3_3, inActivation: true)
        let body = try server.encryptor(SystemRandom()).seal(Secret("{}".utf8), timestamp: now).body
        #expect(try server.open(body).plain == Array("{}".utf8))
        var purpose = server
        purpose.sharedInfo1 = "/pa/upgrade"
        let others = try [
            purpose, ReferenceServer(.v3_3, inActivation: false),
            ReferenceServer(.v3_2, inActivation: true),
            ReferenceServer(.v3_3, inActivation: true, seed: 8),
        ]
        for other in others {
            #expect(throws: ReferenceServer.Refused.self) { try other.open(body) }
        }
    }
}
