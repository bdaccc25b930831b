import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// An object whose sender is proved, read member by member.
struct Claims: Sendable {
    private let reader: MemberReader

    /// The name of the key that signed it, where that matters.
    let signer: String?

    init(_ members: JSON.Object, signer: String? = nil) {
        reader = MemberReader(members)
        self.signer = signer
    }

    var members: JSON.Object { reader.object }

    func text(_ name: String) throws(PushError) -> String { try reader.text(name) }

    /// A text that may be absent or null.
    func optionalText(_ name: String) throws(PushError) -> String? {
        try reader.optionalText(name)
    }

    /// A text that may stand in a path and a signed line.
    func identifier(_ name: String) throws(PushError) -> String {
        let text = try text(name)
        guard Identifier.isValid(text) else { throw Self.wrong(name) }
        return text
    }

    func integer(_ name: String) throws(PushError) -> Int64 {
        try reader.required(name) { $0.integer }
    }

    /// An integer that may be absent or null.
    func optionalInteger(_ name: String) throws(PushError) -> Int64? {
        try reader.optional(name) { $0.integer }
    }

    func date(_ name: String) throws(PushError) -> Date {
        Date(timeIntervalSince1970: Double(try integer(name)))
    }

    func bool(_ name: String) throws(PushError) -> Bool { try reader.bool(name) }

    func object(_ name: String) throws(PushError) -> Claims {
        Claims(try reader.required(name) { $0.object })
    }

    /// An object that may be absent or null.
    func optionalObject(_ name: String) throws(PushError) -> Claims? {
        try reader.optional(name) { $0.object }.map { Claims($0) }
    }

    func array(_ name: String) throws(PushError) -> [JSON] {
        try reader.required(name) { $0.array }
    }

    static func wrong(_ name: String) -> PushError { MemberReader.wrong(name) }
}

/// The identifiers of OXRW/1: what they may hold needs no escaping anywhere.
enum Identifier {
    static func isValid(_ text: String) -> Bool {
        (1...128).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"),
                    UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }
}

/// What OXRW/1 asks of JSON beyond the core's strict reader: one object, at most 8 deep, numbers that
/// are integers within ±(2^53 − 1), written without fraction and exponent.
enum StrictJSON {
    private static let maximumInteger: Int64 = (1 << 53) - 1

    static func object(_ data: Data) throws(PushError) -> JSON.Object {
        let json = try JSON(parsing: data, limits: JSON.Limits(depth: 8))
        guard let object = json.object, hasPlainNumbers(json) else {
            throw PushError(.malformed, "Not one object whose numbers are plain integers.")
        }
        return object
    }

    /// The depth was limited before.
    private static func hasPlainNumbers(_ json: JSON) -> Bool {
        switch json {
        case .number(let number):
            // A number that was written in another way isn't equal to the integer it stands for.
            guard let integer = number.integer, number == JSON.Number(integer) else { return false }
            return (-maximumInteger...maximumInteger).contains(integer)
        case .array(let elements): return elements.allSatisfy(hasPlainNumbers)
        case .object(let object): return object.members.allSatisfy { hasPlainNumbers($0.value) }
        default: return true
        }
    }
}
