#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension String {
    /// Decodes UTF-8; `nil` if the bytes aren't valid.
    ///
    /// The standard library's own is `init(validating:as:)`, which systems before iOS 18 and macOS 15
    /// don't have.
    public init?(validUTF8 bytes: some Collection<UInt8>) {
        let text = String(decoding: bytes, as: UTF8.self)
        // What isn't UTF-8 was replaced, by other bytes.
        guard text.utf8.elementsEqual(bytes) else { return nil }
        self = text
    }

    /// Lends the bytes, without a copy unless the text comes from another language's library.
    func withLentBytes<Value>(_ body: (UnsafeBufferPointer<UInt8>) -> Value) -> Value {
        if let value = utf8.withContiguousStorageIfAvailable(body) { return value }
        return Array(utf8).withUnsafeBufferPointer(body)
    }

    /// Whether every byte is an ASCII character: two such texts are equivalent to Unicode only if
    /// their bytes are the same.
    var isASCII: Bool { withLentBytes { $0.allSatisfy { $0 < 0x80 } } }

    /// Whether every byte is a printable ASCII character.
    var isPrintableASCII: Bool { withLentBytes { $0.allSatisfy { 0x20...0x7E ~= $0 } } }

    /// Whether two texts have the same bytes. Two spellings that Unicode calls equivalent are equal
    /// by `==`, but differ for a vendor.
    ///
    /// It stops at the first difference. Compare secrets by ``Secret/isEqualInConstantTime(to:)``.
    @inline(never) public func hasSameBytes(as other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        return withLentBytes { own in
            other.withLentBytes {
                UnsafeRawBufferPointer(own).hasSameBytes(as: UnsafeRawBufferPointer($0))
            }
        }
    }

    /// Feeds the bytes of the text, and a mark of its end.
    @inline(never) func hashBytes(into hasher: inout Hasher) {
        withLentBytes { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        hasher.combine(UInt8.max)  // no byte of UTF-8
    }
}

/// How a stranger's text is split: by bytes. A `Character` may hold a million marks, and to compare or to
/// hash it takes the square of that in time.
extension StringProtocol where SubSequence == Substring {
    /// The parts between an ASCII character's places, empty ones included.
    ///
    /// - Parameters:
    ///   - mark: The character, below 128.
    ///   - most: The most parts; the last one may hold more such characters.
    /// - Returns: The parts, at least one.
    public func parts(at mark: Unicode.Scalar, most: Int = .max) -> [Substring] {
        self[...].utf8.split(
            separator: UInt8(truncatingIfNeeded: mark.value), maxSplits: most - 1,
            omittingEmptySubsequences: false
        ).map { Substring($0) }
    }

    /// The text before and after the first place of an ASCII text; all of it and `nil` if there is
    /// none.
    public func cut(at mark: String) -> (start: Substring, rest: Substring?) {
        // The library's search for any collection takes fifty times as long.
        let bytes = self[...].utf8
        let wanted = Array(mark.utf8)
        var start = bytes.startIndex
        while let place = bytes[start...].firstIndex(where: { $0 == wanted.first }) {
            if bytes[place...].starts(with: wanted) {
                return (self[..<place], self[bytes.index(place, offsetBy: wanted.count)...])
            }
            start = bytes.index(after: place)
        }
        return (self[...], nil)
    }

    /// The text in lower case if it is a short ASCII word, such as a URI's scheme; else empty. Even
    /// `==` is slow for strangers' texts with many combining marks.
    public var asciiWord: String {
        let bytes = self[...].utf8
        return bytes.count <= 32 && bytes.allSatisfy { $0 < 0x80 } ? lowercased() : ""
    }

    /// The text before an ASCII character's first place; all of it if there is none.
    public func start(before mark: Unicode.Scalar) -> Substring {
        Substring(self[...].utf8.prefix { $0 != UInt8(truncatingIfNeeded: mark.value) })
    }
}

extension UnsafeRawBufferPointer {
    /// Whether both lend the same bytes. It stops at the first that differs, so it's for no secret.
    package func hasSameBytes(as other: UnsafeRawBufferPointer) -> Bool {
        guard count == other.count else { return false }
        guard let start = baseAddress, let otherStart = other.baseAddress else { return true }
        return memcmp(start, otherStart, count) == 0
    }
}
