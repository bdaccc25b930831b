public import HTTPTypes

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension OneSpanSimulator {
    /// One HTTP exchange as the server saw it: header fields and bodies as they came and went.
    ///
    /// It may hold activation passwords and commands, so it is for tests and demonstrations.
    public struct RecordedExchange: Sendable {
        /// The request.
        public let request: HTTPRequest

        /// The request's body.
        public let body: Data

        /// The status of the reply.
        public let status: Int

        /// The reply's body.
        public let reply: Data
    }
}
