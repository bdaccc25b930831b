import HTTPTypes
import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The pairs of a `PowerAuth` header, such as `PowerAuth version="3.3", token_id="…"`.
struct CallHeader {
    private var pairs: [String: String] = [:]

    /// Reads a header; `nil` if it isn't the scheme and pairs with commas between, each name once.
    init?(_ text: String?) {
        guard var rest = text.map({ Array($0.utf8)[...] }) else { return nil }
        guard rest.starts(with: "PowerAuth ".utf8) else { return nil }
        rest = rest.dropFirst(10).drop { $0 == 0x20 }
        while true {
            let name = rest.prefix { $0 == 0x5F || (0x61...0x7A).contains($0) }
            rest = rest.dropFirst(name.count)
            guard !name.isEmpty, rest.starts(with: [0x3D, 0x22]) else { return nil }
            rest = rest.dropFirst(2)
            let value = rest.prefix { $0 != 0x22 }
            rest = rest.dropFirst(value.count)
            guard rest.first == 0x22 else { return nil }
            rest = rest.dropFirst().drop { $0 == 0x20 }
            let key = String(decoding: name, as: UTF8.self)
            guard pairs.updateValue(String(decoding: value, as: UTF8.self), forKey: key) == nil
            else { return nil }
            if rest.isEmpty { return }
            guard rest.first == 0x2C else { return nil }
            rest = rest.dropFirst().drop { $0 == 0x20 }
        }
    }

    subscript(name: String) -> String? { pairs[name] }

    func version(_ name: String) -> ProtocolVersion? {
        pairs[name].flatMap(ProtocolVersion.init)
    }

    /// A UUID of versions 1 to 5, in either case.
    func uuid(_ name: String) -> String? {
        guard let text = pairs[name] else { return nil }
        let bytes = Array(text.utf8)
        guard bytes.count == 36 else { return nil }
        for (index, byte) in bytes.enumerated() {
            let isExpected =
                switch index {
                case 8, 13, 18, 23: byte == UInt8(ascii: "-")
                case 14: (UInt8(ascii: "1")...UInt8(ascii: "5")).contains(byte)
                case 19: "89abAB".utf8.contains(byte)
                default: Hexadecimal.value(of: byte) != nil
                }
            guard isExpected else { return nil }
        }
        return text
    }
}

/// The protocol versions that a server of the 1.9 and 1.10 generations takes.
enum ProtocolVersion: String, Sendable, Comparable {
    case v30 = "3.0"
    case v31 = "3.1"
    case v32 = "3.2"
    case v33 = "3.3"

    static func < (one: ProtocolVersion, other: ProtocolVersion) -> Bool {
        one.rawValue < other.rawValue
    }
}

extension HTTPField.Name {
    /// A name that is known to be one.
    fileprivate static func known(_ name: String) -> HTTPField.Name {
        HTTPField.Name(name) ?? .authorization
    }

    static var powerAuthSignature: HTTPField.Name { known("X-PowerAuth-Authorization") }
    static var powerAuthToken: HTTPField.Name { known("X-PowerAuth-Token") }
    static var powerAuthEncryption: HTTPField.Name { known("X-PowerAuth-Encryption") }
}
