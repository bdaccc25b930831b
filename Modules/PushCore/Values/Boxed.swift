/// A large value, or none, behind one reference: whatever holds it is copied by one step.
@propertyWrapper
struct Boxed<Value: Sendable>: Sendable {
    private var content: Shared<Value>?

    init(wrappedValue: Value?) { content = wrappedValue.map(Shared.init) }

    var wrappedValue: Value? {
        get { content?.value }
        set { content = newValue.map(Shared.init) }
    }
}
