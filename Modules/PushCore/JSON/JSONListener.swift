#if DEBUG
/// Hears each JSON text that is read, so that a test can say what a step costs.
package protocol JSONListener: Sendable {
    func hear(_ text: [UInt8])
}

extension JSON {
    package static let listener = TaskLocal<(any JSONListener)?>(wrappedValue: nil)
}
#endif
