// swift-format-ignore-file
// Stand-in, written for this check: an observable object and its published properties.
public final class ObservableObjectPublisher {
    public init() {}
    public func send() {}
}
public protocol ObservableObject: AnyObject {
    associatedtype ObjectWillChangePublisher = ObservableObjectPublisher
    var objectWillChange: ObjectWillChangePublisher { get }
}
extension ObservableObject where ObjectWillChangePublisher == ObservableObjectPublisher {
    public var objectWillChange: ObservableObjectPublisher { fatalError() }
}
@propertyWrapper public struct Published<Value> {
    public init(wrappedValue: Value) { fatalError() }
    public struct Publisher {}
    @available(*, unavailable, message: "only properties of classes")
    public var wrappedValue: Value { get { fatalError() } set {} }
    public var projectedValue: Publisher { get { fatalError() } set {} }
    public static subscript<Owner: AnyObject>(
        _enclosingInstance owner: Owner, wrapped wrapped: ReferenceWritableKeyPath<Owner, Value>,
        storage storage: ReferenceWritableKeyPath<Owner, Published<Value>>
    ) -> Value { get { fatalError() } set {} }
}
extension Published: Sendable where Value: Sendable {}
