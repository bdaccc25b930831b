public import Foundation
public import HTTPTypes

extension LocalServer {
    /// Where a server listens, and what it puts up with.
    public struct Settings: Sendable {
        /// The name or the address it listens at.
        public var host = "127.0.0.1"

        /// The port it listens at; 0 lets the system choose.
        public var port = 0

        /// How long a client may take; then its connection is closed. `nil` to wait for ever.
        ///
        /// Until a credential of its was accepted (``LocalPeer/acceptCredential``), that is the time from
        /// the connection, or the last reply, to the end of the next request. From then on it counts for
        /// the body from the end of its head; for the head from its first byte over HTTP/2, and from the
        /// last reply over HTTP/1.1. A connection of HTTP/2 may be idle thirty times as long then.
        public var patience: Duration?

        /// How many connections are kept, which servers can share; `nil` for any number.
        public var connections: ConnectionGate?

        /// The largest request body it takes, in bytes.
        public var maximumBodySize = LocalServer.maximumBodySize

        /// What it answers to a request with a larger body; status 413 by default.
        public var oversized: @Sendable (HTTPRequest) -> (response: HTTPResponse, body: Data) = {
            _ in (HTTPResponse(status: .contentTooLarge), Data())
        }

        /// Whether a client that speaks HTTP/1.1 gets status 505.
        public var requiresHTTP2 = false
        /// Whether clients of ``LocalServer/Wire/modern(_:)`` are asked for a certificate. One that
        /// has none, or none that anybody trusts, is served all the same: see ``LocalPeer``.
        public var asksForCertificate = false

        /// After how many requests a connection of HTTP/2 takes no more: it says so (GOAWAY; RFC 9113,
        /// section 6.8), answers those that it has, and is closed. `nil` for any number.
        public var requestsPerConnection: Int?

        /// Creates settings: any port of 127.0.0.1, and all the patience there is.
        public init() {}
    }
}
