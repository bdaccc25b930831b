/// How much of a symbol may be lost and still be read (ISO/IEC 18004, 6.5.1).
public enum ErrorCorrection: Int, Sendable, CaseIterable {
    /// About 7 %.
    case low
    /// About 15 %.
    case medium
    /// About 25 %.
    case quartile
    /// About 30 %.
    case high

    /// The indicator in the format information (ISO/IEC 18004, table 12).
    var indicator: Int {
        switch self {
        case .low: 1
        case .medium: 0
        case .quartile: 3
        case .high: 2
        }
    }
}
