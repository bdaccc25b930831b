/// What needn't be looked up again. It may be dropped at any moment, and is when it grows too large.
struct Cache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// How many entries it has at the most.
    private static var most: Int { 1024 }

    private var values: [Key: Value] = [:]

    /// Takes an entry out.
    mutating func remove(_ key: Key) -> Value? { values.removeValue(forKey: key) }

    mutating func removeAll(where isGone: (Key) -> Bool) {
        values = values.filter { !isGone($0.key) }
    }

    subscript(key: Key) -> Value? {
        get { values[key] }
        set {
            if newValue != nil, values.count >= Self.most, values[key] == nil { values = [:] }
            values[key] = newValue
        }
    }
}
