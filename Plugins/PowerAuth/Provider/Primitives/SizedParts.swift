/// Byte strings that are joined so that nobody can move bytes from one to the next.
enum SizedParts {
    /// Each part after its length in bytes: four bytes, most significant first.
    static func joined(_ parts: [UInt8]...) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(parts.reduce(0) { $0 + 4 + $1.count })
        for part in parts {
            withUnsafeBytes(of: UInt32(truncatingIfNeeded: part.count).bigEndian) {
                output.append(contentsOf: $0)
            }
            output.append(contentsOf: part)
        }
        return output
    }
}
