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

    private static func isPlain(_ byte: UInt8) -> Bool {
        0x21...0x7E ~= byte && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }
}
