public import HTTPTypes

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension PowerAuthSimulator {
    /// One HTTP exchange as the server saw it: header fields and bodies as they went.
    ///
    /// It may hold signatures and push tokens, so it is for tests and demonstrations.
    public struct RecordedExchange: Sendable {
        /// The request.
        public let request: HTTPRequest

        /// The request's body.
        public let body: Data

        /// The status of the answer.
        public let status: Int

        /// The answer's body.
        public let answer: Data
    }
}
