import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// JSON as the protocol allows it: an object at most 8 deep, its numbers integers within 2⁵³ − 1.
enum StrictJSON {
    static let limits = JSON.Limits(bytes: 64 * 1024, depth: 8)

    static func object(_ data: Data) -> JSON.Object? {
        guard let value = try? JSON(parsing: data, limits: limits), isAllowed(value) else {
            return nil
        }
        return value.object
    }

    static func isAllowed(_ value: JSON) -> Bool {
        switch value {
        case .object(let object): object.members.allSatisfy { isAllowed($0.value) }
        case .array(let elements): elements.allSatisfy(isAllowed)
        // A number that was written with a fraction or an exponent writes itself with one.
        case .number(let number):
            (number.integer.map { $0.magnitude < 1 << 53 } ?? false)
                && value.text.utf8.allSatisfy { $0 == UInt8(ascii: "-") || $0 < 0x3A && $0 > 0x2F }
        default: true
        }
    }
}

extension JSON {
    init(_ text: String?) { self = text.map(JSON.string) ?? .null }

    init(_ integer: some BinaryInteger) { self = .number(.init(Int64(clamping: integer))) }
}

/// A request's members, read or refused.
struct StrictMembers {
    let object: JSON.Object

    init(_ object: JSON.Object) { self.object = object }

    init(_ body: Data) throws(Refusal) {
        guard let object = StrictJSON.object(body) else {
            throw .malformed("the body isn't a strict JSON object")
        }
        self.object = object
    }

    func text(_ name: String) throws(Refusal) -> String {
        guard let text = object[name]?.string else { throw .malformed("\(name) isn't a string") }
        return text
    }

    /// A member that is there, but may be null.
    func optional(_ name: String) throws(Refusal) -> String? {
        object[name] == .null ? nil : try text(name)
    }

    func integer(_ name: String) throws(Refusal) -> Int64 {
        guard let number = object[name]?.integer else {
            throw .malformed("\(name) isn't an integer")
        }
        return number
    }
}
