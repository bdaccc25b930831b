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
            digits.allSatisfy({ Self.value(of: $0) != nil })
        else {
            throw OrchestrationError(.commandMalformed, "A command isn't hexadecimal.").pushError
        }
        hex = text.uppercased()
    }

    /// Creates a command from its bytes; at most ``limit`` of them by the caller's own format.
    package init(bytes: some Sequence<UInt8>) {
        let digits = Array("0123456789ABCDEF".utf8)
        hex = String(
            decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] },
            as: UTF8.self)
    }

    /// The command's bytes.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(hex.utf8.count / 2)
        var high: UInt8?
        for digit in hex.utf8 {
            let value = Self.value(of: digit) ?? 0
            if let first = high {
                bytes.append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        return bytes
    }

    private static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case 0x30...0x39: digit - 0x30
        case 0x41...0x46: digit - 0x41 + 10
        case 0x61...0x66: digit - 0x61 + 10
        default: nil
        }
    }
}

extension OrchestrationCommand: CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// Always `<command>`.
    public var description: String { "<command>" }

    /// Always `<command>`.
    public var debugDescription: String { "<command>" }

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
