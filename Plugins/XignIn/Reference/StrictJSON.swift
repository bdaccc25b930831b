import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What OXRW/1 asks of JSON beyond the core's strict reader: one object, at most 8 deep, numbers that
/// are integers within ±(2^53 − 1), written without fraction and exponent.
enum StrictJSON {
    private static let greatestInteger: Int64 = (1 << 53) - 1

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
            return (-greatestInteger...greatestInteger).contains(integer)
        case .array(let elements): return elements.allSatisfy(hasPlainNumbers)
        case .object(let object): return object.members.allSatisfy { hasPlainNumbers($0.value) }
        default: return true
        }
    }
}
