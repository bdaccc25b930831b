#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A moment in whole seconds since the beginning of 2020, in four bytes; 0 is none. What is before
/// that is its first second, what is after 2156 its last one.
struct CompactDate: RawRepresentable, Hashable, Sendable {
    let rawValue: UInt32

    private static let origin: TimeInterval = 1_577_836_800

    init?(rawValue: UInt32) {
        guard rawValue > 0 else { return nil }
        self.rawValue = rawValue
    }

    /// `nil` if it is no moment, such as one that isn't finite.
    init?(_ date: Date, rounding rule: FloatingPointRoundingRule = .down) {
        self.init(seconds: (date.timeIntervalSince1970 - Self.origin).rounded(rule))
    }

    private init?(seconds: Double) {
        guard seconds.isFinite else { return nil }
        rawValue = UInt32(min(max(seconds, 1), Double(UInt32.max)))
    }

    /// The moment that is this much later.
    func advanced(by duration: Duration) -> CompactDate {
        CompactDate(seconds: (Double(rawValue) + duration.inSeconds).rounded(.up)) ?? self
    }

    /// The seconds since another moment; below zero if that comes later.
    func seconds(since other: CompactDate) -> Double {
        Double(rawValue) - Double(other.rawValue)
    }
}
