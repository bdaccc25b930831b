// swift-format-ignore-file
// Stand-in, written for this check.
public final class DispatchQueue: @unchecked Sendable {
    public static let main = DispatchQueue()
    public static func global(qos: DispatchQoS.QoSClass = .default) -> DispatchQueue { fatalError() }
    public func async(execute work: @escaping @Sendable @convention(block) () -> Void) {}
    public convenience init(label: String, qos: DispatchQoS = .unspecified) { self.init() }
    init() {}
}
public struct DispatchQoS: Sendable {
    public static let background = DispatchQoS(), utility = DispatchQoS(), `default` = DispatchQoS()
    public static let userInitiated = DispatchQoS(), userInteractive = DispatchQoS(), unspecified = DispatchQoS()
    public enum QoSClass: Sendable { case background, utility, `default`, userInitiated, userInteractive, unspecified }
}
