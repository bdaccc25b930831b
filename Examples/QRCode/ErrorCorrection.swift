/// How much of a symbol may be lost and still be read (ISO/IEC 18004, 4.1).
public enum ErrorCorrection: Sendable, CaseIterable {
    /// About 7 %.
    case low
    /// About 15 %.
    case medium
    /// About 25 %.
    case quartile
    /// About 30 %.
    case high
}
