/// A large value, or none, behind one reference: whatever holds it is copied by one step.
@propertyWrapper
struct Boxed<Value: Sendable>: Sendable {
    private final class Content: Sendable {
        let value: Value

        init(_ value: Value) { self.value = value }
    }

    private var content: Content?

    init(wrappedValue: Value?) { content = wrappedValue.map(Content.init) }

    var wrappedValue: Value? {
        get { content?.value }
        set { content = newValue.map(Content.init) }
    }
}
