/// How the app wants the user verified for one answer.
public struct VerificationStyle: Hashable, Sendable {
    /// The text of the prompt.
    public var title: String?

    /// Whether unlocking the device may stand for biometry, where the challenge allows it.
    public var allowsDeviceCredential: Bool

    /// Creates a style.
    public init(title: String? = nil, allowsDeviceCredential: Bool = true) {
        self.title = title
        self.allowsDeviceCredential = allowsDeviceCredential
    }

    /// The alternatives that remain; it can only take away.
    func narrowed(_ alternatives: [[Factor]]) -> [[Factor]] {
        guard !allowsDeviceCredential else { return alternatives }
        return alternatives.filter { !$0.contains(.deviceCredential) }
    }
}
