import PushCore

/// The form of the protocol's headers: `PowerAuth key="value", key="value"`.
enum HeaderText {
    private static let scheme = "PowerAuth"

    /// Writes a header.
    ///
    /// - Parameter pairs: Keys and values, in the order to write them.
    /// - Throws: `PushError` with the code `invalidArgument` if a value holds a quote, a backslash or
    ///   anything but visible ASCII, which no value of the protocol does.
    static func write(_ pairs: [(key: String, value: String)]) throws(PushError) -> String {
        for (key, value) in pairs where !value.utf8.allSatisfy(isPlain) {
            throw PushError(.invalidArgument, "The header field \(key) has a forbidden character.")
        }
        let count = pairs.reduce(scheme.utf8.count) {
            $0 + $1.key.utf8.count + $1.value.utf8.count + 5
        }
        return String(unsafeUninitializedCapacity: count) { output in
            var writer = ByteWriter(UnsafeMutableRawBufferPointer(output))
            writer.put(scheme)
            for (index, (key, value)) in pairs.enumerated() {
                if index > 0 { writer.put(ascii: ",") }
                writer.put(ascii: " ")
                writer.put(key)
                writer.put(ascii: "=")
                writer.put(ascii: "\"")
                writer.put(value)
                writer.put(ascii: "\"")
            }
            return writer.position
        }
    }

    /// Reads a header, by its quotes: values are full of `=`.
    ///
    /// - Returns: The values by their keys.
    /// - Throws: `PushError` with the code `malformed` for another scheme or form, or for a key that
    ///   comes twice.
    static func parse(_ text: String) throws(PushError) -> [String: String] {
        var reader = Reader(bytes: ArraySlice(text.utf8))
        guard reader.take(Array(scheme.utf8)), reader.skipSpaces() > 0 else { throw malformed }
        var values: [String: String] = [:]
        repeat {
            reader.skipSpaces()
            guard let key = reader.take(until: "="), !key.isEmpty, key.utf8.allSatisfy(isOfKey),
                reader.take([UInt8(ascii: "\"")]), let value = reader.take(until: "\""),
                value.utf8.allSatisfy(isPlain),
                values.updateValue(value, forKey: key) == nil
            else { throw malformed }
            reader.skipSpaces()
        } while reader.take([UInt8(ascii: ",")])
        guard reader.bytes.isEmpty else { throw malformed }
        return values
    }

    private static let malformed = PushError(
        .malformed, "A header isn't of the form PowerAuth key=\"value\".")

    private static func isPlain(_ byte: UInt8) -> Bool {
        0x21...0x7E ~= byte && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    private static func isOfKey(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    private struct Reader {
        var bytes: ArraySlice<UInt8>

        mutating func take(_ expected: [UInt8]) -> Bool {
            guard bytes.starts(with: expected) else { return false }
            bytes.removeFirst(expected.count)
            return true
        }

        /// What stands before a character, which is taken as well.
        mutating func take(until end: Unicode.Scalar) -> String? {
            guard let found = bytes.firstIndex(of: UInt8(ascii: end)) else { return nil }
            defer { bytes = bytes[(found + 1)...] }
            return String(decoding: bytes[..<found], as: UTF8.self)
        }

        @discardableResult mutating func skipSpaces() -> Int {
            let spaces = bytes.prefix { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
            bytes.removeFirst(spaces.count)
            return spaces.count
        }
    }
}
