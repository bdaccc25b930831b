/// What URLSession said of a failed exchange, without the URL that its own error carries.
public struct URLSessionFailure: Error, Hashable, Sendable {
    /// The number of a `URLError.Code`.
    public let code: Int
}
