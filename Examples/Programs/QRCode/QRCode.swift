/// A text as a QR code: bytes in UTF-8, in the smallest symbol that takes them (ISO/IEC 18004).
///
/// Symbols go up to version 40, which is 177 modules wide and takes 1273 to 2953 bytes: the standard has
/// no larger one.
public struct QRCode: Sendable {
    /// The text has more bytes than the largest symbol takes.
    public struct TooLong: Error, Sendable, CustomStringConvertible {
        /// How many bytes it has.
        public let count: Int
        /// How many would do.
        public let limit: Int

        /// A sentence with both numbers.
        public var description: String {
            "The text has \(count) bytes; a QR code takes \(limit)."
        }
    }

    /// 1 to 40.
    public let version: Int

    /// Modules on each side, without the quiet zone.
    public let size: Int

    private let modules: Modules

    /// Makes a symbol.
    ///
    /// - Parameters:
    ///   - text: What a reader should read.
    ///   - level: How much of it may be lost.
    ///   - smallest: The smallest version to take.
    /// - Throws: ``TooLong``.
    public init(
        _ text: String, correcting level: ErrorCorrection = .medium, from smallest: Int = 1
    ) throws(TooLong) {
        let bytes = Array(text.utf8)
        let largest = SymbolVersion(number: SymbolVersion.all.upperBound)
        let versions = SymbolVersion.all.filter { $0 >= smallest }.map(SymbolVersion.init)
        guard let version = versions.first(where: { bytes.count <= $0.capacity(level) }) else {
            throw TooLong(count: bytes.count, limit: largest.capacity(level))
        }
        var modules = Modules(version)
        modules.place(Codewords(bytes, version, level).bytes)
        let candidates = (0..<8).map { number in
            let masked = Mask(number: number).applied(to: modules, level)
            return (modules: masked, penalty: masked.penalty)
        }
        self.modules = candidates.min { $0.penalty < $1.penalty }?.modules ?? modules
        self.version = version.number
        size = version.size
    }

    /// Makes a symbol that takes as much damage as the text leaves room for: a text of more than 500
    /// bytes has little, as its symbol is large enough to read as it is.
    ///
    /// - Parameter text: What a reader should read.
    /// - Throws: ``TooLong``.
    public init(fitting text: String) throws(TooLong) {
        try self.init(text, correcting: text.utf8.count > 500 ? .low : .medium)
    }

    /// Whether a module is dark; everything outside is light.
    public subscript(row: Int, column: Int) -> Bool {
        (0..<size).contains(row) && (0..<size).contains(column) && modules[row, column]
    }
}
