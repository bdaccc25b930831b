import Foundation
import Testing

@testable import PushPowerAuth

@Suite struct ServerDateTests {
    @Test(arguments: [
        // The documents' own examples: an operation's, an inbox message's, a proximity check's.
        ("2018-07-02T14:43:13+0000", 1_530_542_593.0),
        ("2022-08-25T22:34:58.702+00:00", 1_661_466_898.702),
        ("2024-10-11T09:15:02Z", 1_728_638_102.0),
        ("1970-01-01T00:00:00Z", 0), ("1969-12-31T23:59:59Z", -1),
        ("2000-02-29T00:00:00Z", 951_782_400),
        ("2018-07-02T16:43:13+02:00", 1_530_542_593), ("2018-07-02T09:13:13-0530", 1_530_542_593),
        ("2018-07-02T14:43:13.5Z", 1_530_542_593.5),
        ("2018-07-02T14:43:13.25000000000000000000Z", 1_530_542_593.25),
        ("0000-03-01T00:00:00Z", -62_162_035_200), ("9999-12-31T23:59:59Z", 253_402_300_799),
    ])
    func `both forms are read, and what lies between`(_ text: String, _ seconds: Double) throws {
        let date = try #require(ServerDate.date(text))
        #expect(abs(date.timeIntervalSince1970 - seconds) < 1e-6)
    }

    @Test(arguments: [
        "", "2018-07-02", "2018-07-02T14:43:13", "2018-07-02 14:43:13Z", "2018-7-02T14:43:13Z",
        "2018-13-02T14:43:13Z", "2018-00-02T14:43:13Z", "2018-07-32T14:43:13Z",
        "2019-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2018-07-02T24:00:00Z",
        "2018-07-02T14:60:13Z", "2018-07-02T14:43:60Z", "2018-07-02T14:43:13.Z",
        "2018-07-02T14:43:13+00", "2018-07-02T14:43:13+0000 ", "2018-07-02T14:43:13+24:00",
        "2018-07-02T14:43:13+00:60", "2018-07-02t14:43:13z", "+018-07-02T14:43:13Z",
        "20180702T144313Z", "2018-07-02T14:43:13,5Z", "٢٠١٨-07-02T14:43:13Z",
    ])
    func `anything else is no date`(_ text: String) {
        #expect(ServerDate.date(text) == nil)
    }

    @Test func `what is written is read as the same second`() throws {
        for seconds in stride(from: -62_167_219_200.0, through: 253_402_300_799, by: 86_399 * 977) {
            let date = Date(timeIntervalSince1970: seconds)
            #expect(ServerDate.date(ServerDate.utc(date)) == date)
        }
        #expect(
            ServerDate.utc(Date(timeIntervalSince1970: 1_728_638_102.9)) == "2024-10-11T09:15:02Z")
        #expect(ServerDate.utc(Date(timeIntervalSince1970: -0.5)) == "1969-12-31T23:59:59Z")
    }

    @Test func `a date beyond four digits of years is written as the last or first second`() {
        #expect(ServerDate.utc(.distantFuture + 1e12) == "9999-12-31T23:59:59Z")
        #expect(ServerDate.utc(Date(timeIntervalSince1970: -1e15)) == "0000-01-01T00:00:00Z")
    }
}
