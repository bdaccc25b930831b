import Crypto
import Foundation
import IndependentEncodings
import PushCore
import Testing

@testable import PushPowerAuth

/// Bytes as the worked examples spell them, and back.
enum Sample {
    static func data(_ base64: String) throws -> Data {
        try #require(Data(base64Encoded: base64), "Not Base64: \(base64)")
    }

    static func data(hex: String) throws -> Data {
        try #require(
            hex.allSatisfy { $0.isHexDigit || $0.isWhitespace }, "Not hexadecimal: \(hex)")
        return Data(bytes(hex: hex))
    }

    static func secret(_ base64: String) throws -> Secret { Secret(try data(base64)) }

    static func secret(hex: String) throws -> Secret { Secret(try data(hex: hex)) }

    static func point(_ base64: String) throws -> CurvePoint { try CurvePoint(data(base64)) }

    /// A private key as Java's tests write one: the smallest signed integer, so of 31 to 33 bytes.
    static func javaKey(_ base64: String) throws -> P256.KeyAgreement.PrivateKey {
        let integer = try data(base64).drop { $0 == 0 }
        let padding = Data(repeating: 0, count: 32 - integer.count)
        return try P256.KeyAgreement.PrivateKey(rawRepresentation: padding + integer)
    }

    static func counter(_ base64: String, byte: UInt8 = 0) throws -> SignatureCounter {
        try SignatureCounter(data: secret(base64), byte: byte)
    }

    /// Bytes from zero upwards, as the examples of our own making use them.
    static func ascending(_ count: UInt8) -> Data { Data(0..<count) }
}

extension Secret {
    /// A copy of the bytes, for comparisons in tests.
    var copy: [UInt8] { withBytes { Array($0) } }

    var base64: String { Data(copy).base64EncodedString() }

    var hex: String { IndependentEncodings.hex(copy) }
}

extension Sample {
    /// The code of the error that something throws; `nil` if it throws none.
    static func refusal(_ body: () throws -> Void) -> PushError.Code? {
        do {
            try body()
            return nil
        } catch { return (error as? PushError)?.code }
    }
}
