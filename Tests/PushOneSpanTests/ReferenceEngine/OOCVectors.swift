import Crypto
import Foundation
import IndependentEncodings
import PushCore
import PushTesting
import Testing

extension Vectors {
    /// The vectors of OOC/1.
    init() throws { try self.init("ooc", in: Bundle.module.resourceURL) }

    static func file(_ name: String) throws -> Data {
        let folder = try #require(Bundle.module.resourceURL)
        return try Data(contentsOf: folder.appending(path: "Vectors/\(name)"))
    }

    /// A vector's bytes.
    func callAsFunction(_ name: String) throws -> [UInt8] { OOC.bytes(try text(name)) }
}

/// What the vectors share, and the tests' own encodings: they don't lean on what they test.
enum OOC {
    static let user = "alice"
    static let domain = "example-domain"
    static let password = "K7M2Q9XD"
    static let pin = "135790"
    static let deviceID = run(0xA0)
    static let deviceName = "a0a1a2a3a4a5a6a7a8a9aaabacadaeaf"
    static let identifier = "01000001010200CCCCCCCCCCCCCCCC"
    static let requestID = "6f1c2a54-5d0f-4b7e-9a3c-0d6c3f1b2a10"
    static let issued = Date(timeIntervalSince1970: 1_767_225_600)

    static func sha(_ text: String) -> [UInt8] { Array(SHA256.hash(data: Data(text.utf8))) }

    /// Sixteen bytes that count up.
    static func run(_ start: UInt8) -> [UInt8] { (0..<16).map { start + $0 } }

    static func bytes(_ hex: String) -> [UInt8] { IndependentEncodings.bytes(hex: hex) }

    static func hex(_ bytes: some Sequence<UInt8>) -> String {
        IndependentEncodings.hex(bytes, upperCase: true)
    }

    static func integer(_ value: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: value.bigEndian) { Array($0) }
    }

    static func tlv(_ pairs: (UInt16, [UInt8])...) -> [UInt8] {
        pairs.flatMap { integer($0) + integer(UInt16($1.count)) + $1 }
    }

    /// The private scalar of a seed: SHA-256(seed) mod (n - 1) + 1, where no seed of the vectors
    /// needs the reduction.
    static func scalar(_ seed: String) -> [UInt8] {
        var bytes = sha("OOC1 test \(seed)")
        for index in bytes.indices.reversed() {
            bytes[index] &+= 1
            if bytes[index] != 0 { break }
        }
        return bytes
    }
}

extension Secret {
    /// A copy of the bytes, for comparisons in tests.
    var plain: [UInt8] { withBytes { Array($0) } }
}

extension OOC {
    /// The digest of what was displayed.
    static func digest(_ form: UInt8, _ text: String) -> [UInt8] {
        Array(SHA256.hash(data: Data([form] + Array(text.utf8))))
    }

    /// A secret of a text.
    static func secret(_ text: String) -> Secret { Secret(Array(text.utf8)) }

    static func mac(_ key: [UInt8], _ message: [UInt8]) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: message, using: SymmetricKey(data: key)))
    }
}
