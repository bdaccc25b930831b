import Foundation
import PushAuthFuzzing
import PushCore

/// Feeds the strict reader: what it takes, it writes and takes again, unchanged, and Foundation's
/// reader finds the same in it.
@main
enum FuzzJSON {
    static func main() {
        fuzz { bytes in
            guard let value = try? JSON(parsing: bytes) else { return }
            let limits = JSON.Limits(bytes: .max)
            expect(
                (try? JSON(parsing: value.text, limits: limits)) == value, "it reads what it wrote")
            let other = try? JSONSerialization.jsonObject(
                with: Data(bytes), options: .fragmentsAllowed)
            expect(other.map { agrees(value, with: $0) } == true, "others read the same")
        }
    }

    /// Numbers aside: the readers keep different ones exactly.
    private static func agrees(_ value: JSON, with other: Any) -> Bool {
        switch value {
        case .null: other is NSNull
        case .bool(let value): (other as? Bool) == value
        case .number: other is NSNumber
        case .string(let value):
            (other as? String).map { Array($0.utf8) == Array(value.utf8) } == true
        case .array(let elements):
            (other as? [Any]).map { others in
                others.count == elements.count && zip(elements, others).allSatisfy(agrees)
            } == true
        case .object(let object):
            (other as? [String: Any]).map { others in
                others.count == object.count
                    && object.members.allSatisfy { member in
                        others[member.name].map { agrees(member.value, with: $0) } == true
                    }
            } == true
        }
    }
}
