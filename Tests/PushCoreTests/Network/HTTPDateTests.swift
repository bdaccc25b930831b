import Foundation
import Testing

@testable import PushCore

struct HTTPDateTests {
    /// 27 November 2026.
    private static let present = Date(timeIntervalSince1970: 1_795_737_600)

    @Test(
        arguments: [
            ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
            ("Sun Nov  6 08:49:37 1994", 784_111_777),
            ("Wed Nov 16 08:49:37 1994", 784_975_777),
            ("Tuesday, 24-Nov-76 00:00:00 GMT", 3_373_401_600),
            ("Wednesday, 30-Dec-76 00:00:00 GMT", 220_752_000),
            ("Saturday, 01-Jan-00 00:00:00 GMT", 946_684_800),
            ("Thursday, 29-Feb-24 23:59:59 GMT", 1_709_251_199),
        ] as [(String, Double)])
    func `the two forms that nobody sends any more are read`(text: String, seconds: Double) {
        #expect(
            HTTPDate.parse(text, near: Self.present) == Date(timeIntervalSince1970: seconds))
    }

    @Test(
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
            ("Tue, 29 Feb 2000 12:00:00 GMT", 951_825_600),
            ("Thu, 29 Feb 2024 23:59:59 GMT", 1_709_251_199),
            ("Fri, 01 Mar 2024 00:00:00 GMT", 1_709_251_200),
            ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_800),
            ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
            ("Mon, 01 Mar 2100 00:00:00 GMT", 4_107_542_400),
        ] as [(String, Double)])
    func `an IMF-fixdate is read`(text: String, seconds: Double) {
        #expect(HTTPDate.parse(text, near: Self.present) == Date(timeIntervalSince1970: seconds))
    }

    @Test(arguments: [
        "", "Sunday, 06-Nov-1994 08:49:37 GMT", "Sun Nov 6 08:49:37 1994",
        "Sun, 06-Nov-94 08:49:37 GMT", "Sunday, 6-Nov-94 08:49:37 GMT",
        "Sunday, 06-Nov-94 08:49:37",
        "Sun Nov  6 08:49:37 1994 GMT", "Sun, Nov  6 08:49:37 1994", "Sun Nov  16 08:49:37 1994",
        "Sun Nov 06 8:49:37 1994", "Sunday Nov  6 08:49:37 1994", "Sun Nov  6 08:49:37 94",
        "Saturday, 29-Feb-25 00:00:00 GMT",
        "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 06 Nov 1994 08:49:37 +0000",
        "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 GMT ",
        " Sun, 06 Nov 1994 08:49:37 GMT", "Sun,  06 Nov 1994 08:49:37 GMT",
        "Sun 06 Nov 1994 08:49:37 GMT", "sun, 06 Nov 1994 08:49:37 GMT",
        "Xyz, 06 Nov 1994 08:49:37 GMT", "Sun, 6 Nov 1994 08:49:37 GMT",
        "Sun, 06 nov 1994 08:49:37 GMT", "Sun, 06 Foo 1994 08:49:37 GMT",
        "Sun, 06 Nov 94 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT",
        "Sun, 31 Nov 1994 08:49:37 GMT", "Wed, 29 Feb 2023 00:00:00 GMT",
        "Mon, 29 Feb 2100 00:00:00 GMT", "Sun, 32 Dec 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:37 GMT",
        "Sun, 06 Nov 1994 08:49:61 GMT", "Sun, 06 Nov 1994 8:49:37 GMT",
        "Sun, 06 Nov 1994 08:49 GMT", "Sun, 06 Nov 1994 08:49:37:00 GMT",
        "Sun, +6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov -994 08:49:37 GMT",
        "Sun, ٠٦ Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 -8:49:37 GMT", "Sun,,06 Nov 1994 x GMT",
    ])
    func `anything else is refused`(text: String) {
        #expect(HTTPDate.parse(text, near: Self.present) == nil)
    }

    @Test func `every day of four centuries follows the one before`() {
        let calendar =
            ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct"]
            + ["Nov", "Dec"]
        var expected = 0.0
        var wrong: [String] = []
        for year in 1970..<2370 {
            for month in calendar {
                for day in 1...31 {
                    let text = "Mon, \(day < 10 ? "0" : "")\(day) \(month) \(year) 00:00:00 GMT"
                    guard let date = HTTPDate.parse(text, near: Self.present) else {
                        if day <= 28 { wrong.append(text) }
                        continue
                    }
                    if date.timeIntervalSince1970 != expected { wrong.append(text) }
                    expected += 86400
                }
            }
        }
        #expect(wrong.isEmpty)
        #expect(expected == 146_097 * 86400)
    }
}
