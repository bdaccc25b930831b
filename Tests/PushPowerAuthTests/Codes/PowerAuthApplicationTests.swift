import Crypto
import Foundation
import PushCore
import PushTesting
import Testing

@testable import PushPowerAuth

@Suite struct PowerAuthApplicationTests {
    /// Of powerauth-cmd-tool, `docs/Readme.md`.
    static let configuration =
        "ARCVs2uD4HXnu1uiMLjzv3jUEKhL+EbC7De2hP0CE4QZYMIBAUEEc7WjproYfURYdEDEx7OwSR0A5A+5HNGgUXx8F6eT3KOeIhcsw7tN5PoZN7m3sKutqmUPBrSFqtcDkmQxKTXzlA=="
    private let key = "lbNrg+B157tbojC487941A=="
    private let secret = "qEv4RsLsN7aE/QIThBlgwg=="
    private let masterKey =
        "BHO1o6a6GH1EWHRAxMezsEkdAOQPuRzRoFF8fBenk9yjniIXLMO7TeT6GTe5t7CrraplDwa0harXA5JkMSk185Q="

    private var keyBytes: Data { get throws { try Sample.data(key) } }
    private var secretBytes: Data { get throws { try Sample.data(secret) } }
    private var masterBytes: Data { get throws { try Sample.data(masterKey) } }

    private func read(_ bytes: Data) throws -> PowerAuthApplication {
        try PowerAuthApplication(sdkConfiguration: bytes.base64EncodedString())
    }

    /// A configuration with other public keys.
    private func configuration(count: [UInt8], keys: [Data]) throws -> Data {
        try Data([1, 16]) + keyBytes + [16] + secretBytes + count + keys.joined()
    }

    @Test func `the vendor's configuration is read`() throws {
        let application = try PowerAuthApplication(sdkConfiguration: Self.configuration)
        #expect(application.key == key)
        #expect(String(decoding: application.secret.copy, as: UTF8.self) == secret)
        #expect(application.secretKey.base64 == secret)
        #expect(application.masterPublicKey.base64EncodedString() == masterKey)
    }

    @Test func `the three values make the same application`() throws {
        let application = try PowerAuthApplication(
            key: key, secret: Secret(copying: secret),
            masterPublicKey: Sample.point(masterKey).agreementKey.compressedRepresentation)
        #expect(application.masterPublicKey.base64EncodedString() == masterKey)
        #expect(application.secretKey.base64 == secret)
    }

    @Test func `values of another form are refused by name`() throws {
        let cases: [(String, String, Data, String)] = [
            (key.lowercased() + "=", secret, try masterBytes, "application key"),
            ("AAAA", secret, try masterBytes, "application key"),
            (key, "AAAA", try masterBytes, "application secret"),
            (key, String(secret.dropLast()), try masterBytes, "application secret"),
            (key, secret + "\n", try masterBytes, "application secret"),
            (key, secret, try masterBytes.dropLast(), "master public key"),
        ]
        for (key, secret, master, name) in cases {
            do {
                _ = try PowerAuthApplication(
                    key: key, secret: Secret(copying: secret), masterPublicKey: master)
                Issue.record("Taken despite its \(name).")
            } catch {
                #expect(error.code == .invalidArgument)
                #expect(error.reason.contains(name))
            }
        }
    }

    @Test func `its description shows no secret`() throws {
        let application = try PowerAuthApplication(sdkConfiguration: Self.configuration)
        var dumped = ""
        dump(application, to: &dumped)
        #expect(!dumped.contains(secret) && !"\(application)".contains(secret))
    }

    @Test func `keys of other kinds are passed over, and the last of ours counts`() throws {
        let other = Data([7, 3, 1, 2, 3])
        let first = Data([1, 65]) + (try CurvePoint(AwkwardKeys.key(1).publicKey)).uncompressed
        let last = try Data([1, 65]) + masterBytes
        for (count, keys) in [(1, [last]), (3, [other, first, last]), (3, [first, last, other])] {
            let read = try read(configuration(count: [UInt8(count)], keys: keys))
            #expect(try read.masterPublicKey == masterBytes)
        }
        #expect(
            Sample.refusal { _ = try read(configuration(count: [1], keys: [other])) }
                == .invalidArgument)
        #expect(
            Sample.refusal { _ = try read(configuration(count: [0], keys: [])) } == .invalidArgument
        )
        // The last one counts even if it is none.
        let damaged = Data([1, 3, 1, 2, 3])
        #expect(
            Sample.refusal { _ = try read(configuration(count: [2], keys: [last, damaged])) }
                == .invalidArgument)
    }

    @Test func `what follows the last key is passed over`() throws {
        let last = try Data([1, 65]) + masterBytes
        let read = try read(configuration(count: [1], keys: [last, Data([9, 9, 9])]))
        #expect(try read.masterPublicKey == masterBytes)
    }

    @Test func `numbers may take one, two or four bytes`() throws {
        let body = try masterBytes
        let long = Data([9, 0x81, 0x00]) + Data(repeating: 5, count: 256)
        let keys = [long, Data([1, 0xC0, 0, 0, 65]) + body]
        for count: [UInt8] in [[2], [0x80, 2], [0xC0, 0, 0, 2]] {
            #expect(try read(configuration(count: count, keys: keys)).masterPublicKey == body)
        }
        // 0x41 is a length of one byte, as its highest bits are 01.
        #expect(
            try read(configuration(count: [1], keys: [Data([1, 0x41]) + body])).masterPublicKey
                == body)
    }

    @Test func `every shorter configuration is refused`() throws {
        let whole = try Sample.data(Self.configuration)
        for count in 0..<whole.count {
            #expect(Sample.refusal { _ = try read(whole.prefix(count)) } == .invalidArgument)
        }
    }

    @Test func `another version, other sizes and lengths beyond the end are refused`() throws {
        let whole = try Sample.data(Self.configuration)
        for (place, value): (Int, UInt8) in [
            (0, 0), (0, 2), (1, 15), (1, 17), (18, 15), (18, 17), (35, 0), (35, 2), (35, 0xFF),
            (37, 0x40), (37, 0x42), (37, 0xBF), (37, 0xFF), (38, 5), (38, 2),
        ] {
            var changed = whole
            changed[place] = value
            #expect(
                Sample.refusal { _ = try read(changed) } == .invalidArgument, "\(place): \(value)")
        }
        let huge = try configuration(count: [0xFF, 0xFF, 0xFF, 0xFF], keys: [])
        #expect(Sample.refusal { _ = try read(huge) } == .invalidArgument)
        for text in ["", Self.configuration + "\n", String(Self.configuration.dropLast()), "*"] {
            #expect(
                Sample.refusal { _ = try PowerAuthApplication(sdkConfiguration: text) }
                    == .invalidArgument)
        }
    }

    @Test func `no damage to a configuration does worse than being refused or read`() throws {
        let random = SeededRandom(seed: 8)
        let whole = try Sample.data(Self.configuration)
        for _ in 0..<2000 {
            var changed = whole.prefix(Int(random.next() % UInt64(whole.count + 1)))
            for _ in 0..<random.next() % 4 where !changed.isEmpty {
                changed[Int(random.next() % UInt64(changed.count))] = UInt8(random.next() & 255)
            }
            let code = Sample.refusal {
                let application = try read(changed)
                #expect(application.masterPublicKey.count == 65)
            }
            #expect(code == nil || code == .invalidArgument)
        }
    }
}
