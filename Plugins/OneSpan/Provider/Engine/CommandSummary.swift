#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What an engine proved about a pushed command without executing it.
public struct CommandSummary: Hashable, Sendable {
    /// The device it was sealed for, as ``ActivatedDevice/deviceID`` has it.
    public let deviceID: String

    /// The server's identifier of the request.
    public let requestID: String

    /// ``WorkflowKind/authentication`` or ``WorkflowKind/transaction``.
    public let kind: WorkflowKind

    /// When it was made, by the server's clock, in milliseconds' precision.
    public let issuedAt: Date

    /// When the request ends, by the server's clock, in milliseconds' precision.
    public let notAfter: Date

    /// Creates a summary.
    public init(
        deviceID: String, requestID: String, kind: WorkflowKind, issuedAt: Date, notAfter: Date
    ) {
        self.deviceID = deviceID
        self.requestID = requestID
        self.kind = kind
        self.issuedAt = issuedAt
        self.notAfter = notAfter
    }
}
