#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A login or a transaction that waits for a decision.
struct Request {
    let id: String
    let sessionID: String
    let user: String
    let account: Int
    let isTransaction: Bool
    let method: OneSpanSimulator.AuthenticationMethod
    let display: OneSpanSimulator.DisplayContent
    let deadline: Date
    var state = OneSpanSimulator.SessionStatus.pending
    var wrongResponses = 0
    var decision: OneSpanSimulator.Decision?

    /// The SHA-256 of form and data, as the device was to show them.
    var displayDigest: [UInt8] { KeySchedule.hash([display.form] + display.data) }
}
