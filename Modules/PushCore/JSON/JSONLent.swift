extension JSON {
    /// A member's value as its object lends it: it is made only if it is asked for.
    package struct Lent {
        private enum Storage {
            case read(JSONDocument, Int)
            case made(JSON)
        }

        private let storage: Storage

        init(in document: JSONDocument, at position: Int) { storage = .read(document, position) }

        init(_ value: JSON) { storage = .made(value) }

        /// The value.
        package var value: JSON {
            switch storage {
            case .read(let document, let position): document.value(at: position)
            case .made(let value): value
            }
        }

        /// Lends the UTF-8 of a string, without making one; `nil` for any other value.
        package func withText<Value>(_ body: (UnsafeRawBufferPointer) -> Value) -> Value? {
            switch storage {
            case .read(let document, let position): document.withText(at: position, body)
            case .made(let value):
                value.string?.withLentBytes { body(UnsafeRawBufferPointer($0)) }
            }
        }
    }
}
