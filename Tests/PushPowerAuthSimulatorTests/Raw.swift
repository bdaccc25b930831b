import Crypto
import CryptoExtras
import Foundation
import IndependentEncodings
import PushCore
import Testing

/// The protocol's arithmetic, written for the tests alone.
enum Raw {
    static func hmac(_ key: Data, _ message: Data) -> Data {
        Data(HMAC<SHA256>.authenticationCode(for: message, using: SymmetricKey(data: key)))
    }

    static func xor16(_ bytes: Data) -> Data {
        let all = [UInt8](bytes)
        return Data((0..<16).map { all[$0] ^ all[$0 + 16] })
    }

    static func aes(_ plain: Data, _ key: Data, iv: Data, pads: Bool) throws -> Data {
        try AES._CBC.encrypt(
            plain, using: SymmetricKey(data: key), iv: .init(ivBytes: [UInt8](iv)),
            noPadding: !pads)
    }

    static func unaes(_ data: Data, _ key: Data, iv: Data, pads: Bool) throws -> Data {
        try AES._CBC.decrypt(
            data, using: SymmetricKey(data: key), iv: .init(ivBytes: [UInt8](iv)),
            noPadding: !pads)
    }

    static func kdf(_ key: Data, _ index: Int) throws -> Data {
        try aes(Data(count: 8) + be64(index), key, iv: Data(count: 16), pads: false)
    }

    static func step(_ counter: Data) -> Data { xor16(Data(SHA256.hash(data: counter))) }

    static func be32(_ number: Int) -> Data {
        Data((0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) })
    }

    static func be64(_ number: Int) -> Data {
        Data((0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) })
    }

    static func sized(_ parts: Data...) -> Data { sized(parts) }

    static func sized(_ parts: [Data]) -> Data {
        parts.reduce(Data()) { $0 + be32($1.count) + $1 }
    }

    static func random(_ count: Int) -> Data {
        Data((0..<count).map { _ in UInt8.random(in: 0...255) })
    }

    static func digits(_ hash: Data, _ count: Int = 8) -> String {
        let tail = [UInt8](hash.suffix(4))
        let number = (Int(tail[0] & 0x7F) << 24) | Int(tail[1]) << 16 | Int(tail[2]) << 8
        let all = String(format: "%010d", number | Int(tail[3]))
        return String(all.suffix(count))
    }

    /// The codes of one to three factors.
    static func codes(_ keys: [Data], _ counter: Data, _ message: Data) -> [Data] {
        let h = keys.map { hmac($0, counter) }
        var codes = [hmac(h[0], message)]
        if keys.count > 1 { codes.append(hmac(hmac(h[1], h[1]), message)) }
        if keys.count > 2 { codes.append(hmac(hmac(h[2], hmac(h[1], h[2])), message)) }
        return codes
    }
}

func b64(_ text: String?) throws -> Data {
    try #require(text.flatMap { Data(base64Encoded: $0) })
}

extension Data {
    init(hex: String) {
        self.init(IndependentEncodings.bytes(hex: hex))
    }

    var hex: String { IndependentEncodings.hex(self) }
}

extension String {
    var bytes: Data { Data(utf8) }
}

extension Bench.Exchange {
    /// The outer layer without anything in it.
    var plainOuter: Data {
        var outer = outer
        outer["activationData"] = [:]
        return JSON.object(outer).data
    }
}
