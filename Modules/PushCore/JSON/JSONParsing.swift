#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension JSON {
    /// How much the strict reader takes.
    public struct Limits: Hashable, Sendable {
        /// The largest input, in bytes.
        public var bytes: Int

        /// The deepest nesting of arrays and objects; at most 32, because the reader is recursive.
        public var depth: Int {
            didSet { depth = min(depth, Self.deepest) }
        }

        private static let deepest = 32

        /// Creates limits.
        public init(bytes: Int = 64 * 1024, depth: Int = 32) {
            self.bytes = bytes
            self.depth = min(depth, Self.deepest)
        }
    }

    /// Why and where the strict reader stopped. It never holds content.
    public struct Failure: Error, Hashable, Sendable {
        /// What the reader refused.
        @nonexhaustive
        public enum Kind: String, Hashable, Sendable {
            /// The input is larger than ``Limits/bytes``.
            case tooLarge = "larger than the limit"
            /// The nesting is deeper than ``Limits/depth``.
            case tooDeep = "nested too deeply"
            /// The input ends inside a value.
            case truncated = "ends too early"
            /// A byte that the grammar doesn't allow there: a comment, a trailing comma, a NUL.
            case unexpectedByte = "unexpected byte"
            /// An object names a member twice, in one spelling or in two that Unicode calls
            /// equivalent.
            case duplicateName = "duplicate name"
            /// A non-ASCII member's name has more than 256 bytes: comparing it by Unicode's
            /// equivalence could take too long.
            case nameTooLong = "name too long"
            /// A string isn't well-formed UTF-8.
            case invalidUTF8 = "invalid UTF-8"
            /// More than 256 combining marks in a row: the time to compare such a text grows with
            /// the square of their number.
            case tooManyMarks = "too many combining marks"
            /// A control character stands unescaped in a string.
            case controlCharacter = "unescaped control character"
            /// No escape follows a backslash.
            case invalidEscape = "invalid escape"
            /// An escape names half of a surrogate pair.
            case loneSurrogate = "lone surrogate"
            /// A number with a leading zero, no digits, or more than 512 characters.
            case invalidNumber = "invalid number"
            /// A number beyond the range of a double.
            case numberOutOfRange = "number out of range"
            /// Something follows the value.
            case trailingBytes = "bytes after the value"
        }

        /// What the reader refused.
        public let kind: Kind

        /// The offset of the byte at which it stopped, from 0.
        public let offset: Int
    }

    /// Reads one JSON text strictly (RFC 8259).
    ///
    /// It refuses whatever two readers could understand differently: duplicate names, trailing
    /// commas, comments, lone surrogates, invalid UTF-8, and anything after the value. Time and
    /// memory are linear in any input.
    ///
    /// - Parameters:
    ///   - data: The text, UTF-8, without a byte order mark.
    ///   - limits: How much to take.
    /// - Throws: ``PushError`` with the code `malformed`; its `underlying` is a ``Failure``.
    public init(parsing data: Data, limits: Limits = Limits()) throws(PushError) {
        let result = data.withUnsafeBytes { bytes in
            Self.read(bytes.bindMemory(to: UInt8.self), limits)
        }
        self = try Self.checked(result)
    }

    /// Reads one JSON text strictly (RFC 8259), from a string.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - limits: How much to take.
    /// - Throws: ``PushError`` with the code `malformed`; its `underlying` is a ``Failure``.
    public init(parsing text: String, limits: Limits = Limits()) throws(PushError) {
        var text = text
        let result = text.withUTF8 { bytes in Self.read(bytes, limits) }
        self = try Self.checked(result)
    }

    /// Reads one JSON text strictly (RFC 8259), from lent memory.
    ///
    /// - Parameters:
    ///   - bytes: The text, UTF-8, without a byte order mark.
    ///   - limits: How much to take.
    /// - Throws: ``PushError`` with the code `malformed`; its `underlying` is a ``Failure``.
    public init(
        parsing bytes: UnsafeRawBufferPointer, limits: Limits = Limits()
    ) throws(PushError) {
        self = try Self.checked(Self.read(bytes.bindMemory(to: UInt8.self), limits))
    }

    /// What can be numbered in 32 bits, whatever the limit.
    private static let maximumBytes = Int(Int32.max) - 1

    private static func read(
        _ bytes: UnsafeBufferPointer<UInt8>, _ limits: Limits
    ) -> Result<JSON, Failure> {
        let most = min(limits.bytes, Self.maximumBytes)
        guard bytes.count <= most else {
            return .failure(Failure(kind: .tooLarge, offset: most))
        }
        return JSONReader.read(bytes, depth: limits.depth)
    }

    private static func checked(_ result: Result<JSON, Failure>) throws(PushError) -> JSON {
        switch result {
        case .success(let value): return value
        case .failure(let failure):
            throw PushError(
                .malformed, "Not strict JSON: \(failure.kind.rawValue) at byte \(failure.offset).",
                underlying: failure)
        }
    }
}
