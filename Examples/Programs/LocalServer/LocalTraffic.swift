/// What came in at a ``LocalServer``, counted.
public struct LocalTraffic: Hashable, Sendable {
    /// How many connections carried at least one request.
    public var connections = 0

    /// How many requests came over HTTP/1.1.
    public var http1Requests = 0

    /// How many requests came over HTTP/2.
    public var http2Requests = 0
}
