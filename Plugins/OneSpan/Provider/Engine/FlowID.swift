/// Names one run of a workflow inside its engine.
public struct FlowID: Hashable, Sendable {
    /// The engine's name for it, such as hexadecimal digits.
    public let value: String

    /// Creates a name.
    public init(_ value: String) {
        self.value = value
    }
}
