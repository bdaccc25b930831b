/// A text as a QR code: bytes in UTF-8, in the smallest symbol that takes them (ISO/IEC 18004).
///
/// Symbols go up to version 20, which is 97 modules wide and takes 382 to 858 bytes.
public struct QRCode: Sendable {
    /// The text has more bytes than the largest symbol takes.
    public struct TooLong: Error, Sendable {
        /// How many bytes it has.
        public let count: Int
        /// How many would do.
        public let limit: Int
    }

    /// 1 to 20.
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
        let candidates = (0..<8).map { Mask(number: $0).applied(to: modules, level) }
        self.modules = candidates.min { $0.penalty < $1.penalty } ?? modules
        self.version = version.number
        size = version.size
    }

    /// Whether a module is dark; everything outside is light.
    public subscript(row: Int, column: Int) -> Bool {
        (0..<size).contains(row) && (0..<size).contains(column) && modules[row, column]
    }
}
