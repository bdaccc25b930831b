import Crypto
import Foundation
import PushCore
import PushJOSE
import PushTesting
import Testing

@testable import PushPrivacyIDEA

/// The forms that the server reads and writes.
@Suite struct EncodingTests {
    // MARK: The server's key

    @Test func `the server's key is read in lines, and in no other form than PKCS#1`() throws {
        let vectors = try Vectors()
        for name in ["server", "otherServer", "device"] {
            let lines = try vectors.text("keys", name, "pkcs1")
            #expect(throws: Never.self) { try ServerKey(lines: lines) }
            #expect(throws: Never.self) {
                try ServerKey(lines: " " + lines.replacing("\n", with: "\r\n") + "\n")
            }
            let other = try vectors.text("keys", name, "spki")
            #expect(throws: PushError.self) { try ServerKey(lines: other) }
            let pem = "-----BEGIN RSA PUBLIC KEY-----\n\(lines)\n-----END RSA PUBLIC KEY-----"
            #expect(throws: PushError.self) { try ServerKey(lines: pem) }
            #expect(throws: PushError.self) { try ServerKey(lines: String(lines.dropLast())) }
        }
    }

    /// `RSAPublicKey` of two numbers, by hand.
    private static func der(_ modulus: [UInt8], _ exponent: [UInt8]) -> Data {
        func value(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
            let count = content.count
            let length: [UInt8] =
                switch count {
                case 0..<0x80: [UInt8(count)]
                case 0x80..<0x100: [0x81, UInt8(count)]
                default: [0x82, UInt8(count >> 8), UInt8(count & 0xFF)]
                }
            return [tag] + length + content
        }
        return Data(value(0x30, value(2, modulus) + value(2, exponent)))
    }

    @Test func `a key is two positive numbers, long enough, in DER alone`() throws {
        let modulus = [0, 0xC1] + [UInt8](repeating: 0x5B, count: 255)
        let good = Self.der(modulus, [1, 0, 1])
        let key = try #require(RSAPublicNumbers(pkcs1: good))
        #expect(key.isUsable && key.modulus.count == 256 && key.exponent == [1, 0, 1])
        for unusable in [
            Self.der([0x7F] + modulus.dropFirst(2), [1, 0, 1]), Self.der(modulus, [3]),
            Self.der(modulus, [1, 0, 2]), Self.der(modulus, [1, 0, 0, 0, 1]),
        ] {
            #expect(RSAPublicNumbers(pkcs1: unusable)?.isUsable == false)
        }
        for broken in [
            Data(), good + [0], good.dropLast(), Self.der(Array(modulus.dropFirst()), [1, 0, 1]),
            Self.der([0] + modulus, [1, 0, 1]), Self.der(modulus, []), Self.der([0], [1, 0, 1]),
            Data([0x30, 0x83, 0, 1, 0]), Data([0x30, 0x80, 0, 0]), Data([0x31]) + good.dropFirst(),
        ] {
            #expect(RSAPublicNumbers(pkcs1: broken) == nil)
        }
    }

    @Test func `a signature has exactly the key's size, and its one text`() throws {
        let vectors = try Vectors()
        let key = try vectors.serverKey("device")
        let signature = try vectors.key("device").signature(over: "a")
        #expect(key.verifies(signature, over: Array("a".utf8)))
        #expect(!key.verifies(signature, over: Array("b".utf8)))
        #expect(!key.verifies(signature.lowercased(), over: Array("a".utf8)))
        #expect(!key.verifies(signature.replacing("=", with: ""), over: Array("a".utf8)))
        let bytes = try Base32.data(from: signature, as: .canonical)
        #expect(!key.verifies(Base32.encode([0] + bytes), over: Array("a".utf8)))
    }

    @Test func `no size that an app can choose is smaller than what is taken`() {
        #expect(PrivacyIDEA.KeySize.allCases.allSatisfy { $0.rawValue >= RSAKeySize.smallest })
    }

    @Test func `without another wish the device's key is RSA of 2048 bits`() async throws {
        let key = try await DeviceKeySource.fresh.key(PrivacyIDEA.Configuration().keySize)
        let spki = try #require(Data(base64Encoded: key.publicText))
        #expect(spki.count == 294)
        let again = try DeviceKey(stored: key.stored)
        let signature = try again.signature(over: "a")
        // SubjectPublicKeyInfo ends with the BIT STRING of RSAPublicKey (RFC 8017 section A.1).
        let public1 = try ServerKey(pkcs1: Data(spki.dropFirst(24)))
        #expect(public1.verifies(signature, over: Array("a".utf8)))
    }

    // MARK: Texts

    @Test(arguments: (try? Vectors())?["canonicalJSON"]?.array ?? [])
    func `capabilities are signed in their canonical form`(example: JSON) throws {
        let value = try #require(example["value"])
        #expect(CanonicalJSON.text(value) == example["canonical"]?.string)
    }

    @Test func `a number or null has no canonical form here`() throws {
        for text in ["1", "null", "[1]", #"{"a":null}"#, #"{"a":[{"b":0.5}]}"#] {
            #expect(CanonicalJSON.text(try JSON(parsing: text)) == nil)
        }
        #expect((try Vectors())["canonicalJSON"]?.array?.count == 4)
    }

    @Test(
        arguments: [
            (1_795_348_800, "2026-11-22T12:00:00.000000Z"),
            (1_795_348_800.25, "2026-11-22T12:00:00.250000Z"),
            (951_782_399.999_999, "2000-02-28T23:59:59.999999Z"),
            (951_782_400, "2000-02-29T00:00:00.000000Z"), (0, "1970-01-01T00:00:00.000000Z"),
            (-1, "1969-12-31T23:59:59.000000Z"), (4_107_542_400, "2100-03-01T00:00:00.000000Z"),
        ] as [(Double, String)])
    func `a signed time has six decimals and is UTC`(seconds: Double, text: String) {
        #expect(Timestamp.text(Date(timeIntervalSince1970: seconds)) == text)
    }
}
