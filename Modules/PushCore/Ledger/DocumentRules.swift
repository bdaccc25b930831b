#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What a change of a document's rows goes by.
struct DocumentRules: Sendable {
    /// The device's time.
    let now: Date

    /// A moment that has certainly passed at the server; `nil` if none is known.
    let passed: CompactDate?

    let limits: DocumentLimits

    /// Whether what opens a challenge goes once it is over.
    let isSingleUse: Bool

    /// Whether the vendor judges itself what comes too late.
    var takesLateAnswers = false
}
