#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// An order by a number, and then by a text. The library's sort is compiled again for each kind of
/// element and of comparison, 3 KB each: here it is compiled once.
private struct Order {
    let keys: [(number: Double, text: String)]

    /// The places of the keys in ascending order; equal ones stay in the order that they have.
    @inline(never)
    var places: [Int] {
        keys.indices.sorted {
            (keys[$0].number, keys[$0].text, $0) < (keys[$1].number, keys[$1].text, $1)
        }
    }
}

extension Sequence {
    /// The elements in the order of their numbers, then of their texts, then as they stand here.
    func inOrder(by key: (Element) -> (Double, String)) -> [Element] {
        let all = Array(self)
        return Order(keys: all.map(key)).places.map { all[$0] }
    }

    /// The elements in the order of their moments, then of their texts.
    func inOrder(by key: (Element) -> (Date, String)) -> [Element] {
        inOrder { element -> (Double, String) in
            let (moment, text) = key(element)
            return (moment.timeIntervalSinceReferenceDate, text)
        }
    }

    /// The elements in the order of their names.
    func inOrder(by name: (Element) -> String) -> [Element] { inOrder { element -> (Double, String) in (0, name(element)) } }
}
