public import HTTPTypes

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension XignInSimulator {
    /// One HTTP exchange as the manager saw it: header fields and bodies as they went.
    ///
    /// It may hold push tokens and proofs, so it is for tests and demonstrations.
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
