/// Which of several changes a store refused.
public struct StoreRefusal: Sendable {
    /// The record of the refused change, as it is now.
    public enum Found: Sendable {
        /// The store doesn't tell, or the record is damaged.
        case unknown
        /// There is none.
        case absent
        /// It has this value and revision.
        case record(Secret, Revision)

        /// Creates it from the record that the store has read; `nil` if there is none.
        public init(_ content: (value: Secret, revision: Revision)?) {
            self = content.map { .record($0.value, $0.revision) } ?? .absent
        }
    }

    /// Index of the first change that the store refused.
    public let index: Int

    /// The record as it is now. It spares a read after a conflict.
    public let found: Found

    /// Creates a refusal.
    public init(index: Int, found: Found = .unknown) {
        self.index = index
        self.found = found
    }
}

/// A record's version. Compare it for equality only.
public struct Revision: Hashable, Sendable {
    /// The store's own number.
    public let value: UInt64

    /// Creates a revision.
    public init(_ value: UInt64) {
        self.value = value
    }
}
