/// How an operation ended, as a push says: the values of the extra `mtokenOperationResult`.
///
/// A push proves nothing; what the server says when asked counts.
@nonexhaustive
public enum PowerAuthOperationResult: Hashable, Sendable {
    /// `authentication.success`: it was confirmed.
    case authenticationSuccess
    /// `authentication.fail`: confirming it failed.
    case authenticationFail
    /// `operation.timeout`: its time ran out.
    case operationTimeout
    /// `operation.canceled`: the user cancelled it.
    case operationCanceled
    /// `operation.methodNotAvailable`: the mobile token was taken away from the user. Rare.
    case operationMethodNotAvailable
    /// A value that this version doesn't know, as it came. The message counts all the same.
    case unknown(String)

    private static let documented: [Self] = [
        .authenticationSuccess, .authenticationFail, .operationTimeout, .operationCanceled,
        .operationMethodNotAvailable,
    ]

    /// Reads a value of the extra.
    public init(_ text: String) {
        self =
            Self.documented.first { $0.text.utf8.elementsEqual(text.utf8) } ?? .unknown(text)
    }

    /// The value of the extra.
    public var text: String {
        switch self {
        case .authenticationSuccess: "authentication.success"
        case .authenticationFail: "authentication.fail"
        case .operationTimeout: "operation.timeout"
        case .operationCanceled: "operation.canceled"
        case .operationMethodNotAvailable: "operation.methodNotAvailable"
        case .unknown(let text): text
        }
    }
}
