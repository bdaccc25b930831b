#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Sequence {
    /// The elements in the order of their numbers, then of their texts, then as they stand here.
    func inOrder(by key: (Element) -> (Double, String)) -> [Element] {
        let all = Array(self)
        return places(all.map(key)).map { all[$0] }
    }

    /// The elements in the order of their moments, then of their texts.
    func inOrder(by key: (Element) -> (Date, String)) -> [Element] {
        inOrder { element -> (Double, String) in
            let (moment, text) = key(element)
            return (moment.timeIntervalSinceReferenceDate, text)
        }
    }

    /// The elements in the order of their names.
    func inOrder(by name: (Element) -> String) -> [Element] {
        inOrder { element -> (Double, String) in (0, name(element)) }
    }
}

/// The places of keys in ascending order. The library's sort is compiled for each kind of element and of
/// comparison, 3 KB each: here once.
@inline(never) private func places(_ keys: [(Double, String)]) -> [Int] {
    keys.indices.sorted { (keys[$0].0, keys[$0].1, $0) < (keys[$1].0, keys[$1].1, $1) }
}
