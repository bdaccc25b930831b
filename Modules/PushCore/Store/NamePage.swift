/// A part of a collection's names.
public struct NamePage: Sendable {
    /// The names in the collection's order.
    public let names: [String]

    /// Whether no name comes after these.
    public let isLast: Bool

    /// Creates a page.
    public init(_ names: [String], isLast: Bool) {
        self.names = names
        self.isLast = isLast
    }

    /// Cuts a page out of all names of a collection, in the order of their UTF-8 bytes, for a store
    /// that has them at hand.
    ///
    /// - Parameters:
    ///   - all: The names, in any order.
    ///   - name: The last name of the page before; `nil` for the first page.
    ///   - limit: The most names of the page.
    public init(of all: some Sequence<String>, after name: String?, limit: Int) {
        let rest = all.filter { next in
            name.map { $0.utf8.lexicographicallyPrecedes(next.utf8) } ?? true
        }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        names = Array(rest.prefix(max(1, limit)))
        isLast = names.count == rest.count
    }
}
