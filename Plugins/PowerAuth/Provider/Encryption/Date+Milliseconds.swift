#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Date {
    /// The last millisecond that is written, at the end of the year 9999.
    static let lastMillisecond: Int64 = 253_402_300_799_999

    /// Milliseconds since 1970, rounded; a time before 1970 or after 9999 is taken for the nearest.
    var unixMilliseconds: Int64 {
        // A clock can be set to anything. In this order not-a-number becomes 0, too.
        let milliseconds = max(0, (timeIntervalSince1970 * 1000).rounded())
        return Int64(min(Double(Self.lastMillisecond), milliseconds))
    }

    /// A time in milliseconds since 1970.
    init(unixMilliseconds: Int64) {
        self.init(timeIntervalSince1970: Double(unixMilliseconds) / 1000)
    }
}
