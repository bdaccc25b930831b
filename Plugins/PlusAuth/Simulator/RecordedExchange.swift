public import HTTPTypes

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension PlusAuthSimulator {
    /// One HTTP exchange as the server saw it: header fields and body as they came.
    ///
    /// It may hold private keys, device tokens and signed answers, so it is for tests and
    /// demonstrations.
    public struct RecordedExchange: Sendable {
        /// The request.
        public let request: HTTPRequest

        /// The request's body.
        public let body: Data

        /// The status of the reply.
        public let status: Int
    }
}
