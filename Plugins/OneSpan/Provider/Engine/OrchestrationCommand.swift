public import PushCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// One orchestration command, as the app carries it between the engine and the server: opaque,
/// hexadecimal.
///
/// OneSpan documents the text form alone (Orchestration SDK, "Core"); what is inside belongs to the
/// engine. A command is a secret: it never appears in a description.
public struct OrchestrationCommand: Hashable, Sendable {
    /// The command's bytes in upper-case hexadecimal digits.
    public let hex: String

    /// The longest command that a relay carries, in bytes.
    package static let limit = 16_384

    /// The longest command inside a push, in bytes.
    package static let pushLimit = 768

    /// Reads a command's text.
    ///
    /// - Parameter text: Hexadecimal digits in either case, an even number of them, for 1 to
    ///   16,384 bytes.
    /// - Throws: `PushError`: `malformed` (``OneSpanError/commandMalformed``) if the text is anything
    ///   else.
    public init(_ text: String) throws(PushError) {
        let digits = text.utf8
        guard !digits.isEmpty, digits.count <= 2 * Self.limit, digits.count.isMultiple(of: 2),
            digits.allSatisfy({ Hexadecimal.value(of: $0) != nil })
        else {
            throw OrchestrationError(.commandMalformed, "A command isn't hexadecimal.").pushError
        }
        hex = text.uppercased()
    }

    /// Creates a command from its bytes; at most ``limit`` of them by the caller's own format.
    package init(bytes: some Sequence<UInt8>) {
        hex = Hexadecimal.text(Array(bytes), upperCase: true)
    }

    /// The command's bytes.
    package var bytes: [UInt8] { Hexadecimal.bytes(hex.utf8) ?? [] }
}

extension OrchestrationCommand: CustomStringConvertible, CustomReflectable {
    /// Always `<command>`, which `debugPrint` shows as well.
    public var description: String { "<command>" }

    /// A mirror without children, so that `dump` shows nothing either.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// What an engine proved about a pushed command without executing it.
public struct CommandSummary: Hashable, Sendable {
    /// The device it was sealed for, as its activation named it.
    package let deviceID: String

    /// The server's identifier of the request.
    package let requestID: String

    /// Which workflow it starts.
    package let kind: RequestKind

    /// When it was made, by the server's clock, in milliseconds' precision.
    package let issuedAt: Date

    /// When the request ends, by the server's clock, in milliseconds' precision.
    package let notAfter: Date

    /// Creates a summary.
    ///
    /// - Parameters:
    ///   - deviceID: The device it was sealed for, as its activation named it.
    ///   - requestID: The server's identifier of the request.
    ///   - kind: Which workflow it starts.
    ///   - issuedAt: When it was made, by the server's clock, in milliseconds' precision.
    ///   - notAfter: When the request ends, by the server's clock, in milliseconds' precision.
    public init(
        deviceID: String, requestID: String, kind: RequestKind, issuedAt: Date, notAfter: Date
    ) {
        self.deviceID = deviceID
        self.requestID = requestID
        self.kind = kind
        self.issuedAt = issuedAt
        self.notAfter = notAfter
    }
}
