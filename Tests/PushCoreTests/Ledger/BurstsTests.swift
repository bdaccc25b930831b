import Foundation
import Testing

@testable import PushCore

/// Challenges that come in a burst, counted by the document.
struct BurstsTests {
    private let moment = EnrollmentDocument.moment
    private let window = Duration.seconds(600)

    @Test func `beyond three in ten minutes each is a burst, until they have passed`() {
        var bursts = Bursts()
        let counts = (0..<5).map {
            bursts.count(at: moment + Double($0), beyond: 3, within: window)
        }
        #expect(counts == [nil, nil, nil, 4, 5])
        #expect(bursts.current(at: moment + 600, beyond: 3, within: window) == 4)
        #expect(bursts.current(at: moment + 602, beyond: 3, within: window) == nil)
        #expect(bursts.count(at: moment + 700, beyond: 3, within: window) == nil)
        #expect(bursts.times.count == 1)
    }

    @Test func `no more times are kept than a hundred beyond the limit`() {
        var bursts = Bursts()
        var last: Int?
        for _ in 0..<500 { last = bursts.count(at: moment, beyond: 3, within: window) }
        #expect(last == 103)
        #expect(bursts.times.count == 103)
        #expect(bursts.count(at: moment, beyond: 10, within: window) == 104)
        #expect(bursts.count(at: moment, beyond: .max, within: window) == nil)
        #expect(bursts.count(at: moment, beyond: -1, within: window) == 100)
    }

    @Test func `after the alarm each is flagged, until the window has passed`() {
        var bursts = Bursts()
        bursts.raiseAlarm(at: moment)
        #expect(bursts.current(at: moment, beyond: 3, within: window) == nil)
        #expect(bursts.count(at: moment + 1, beyond: 3, within: window) == 1)
        #expect(bursts.current(at: moment + 599, beyond: 3, within: window) == 1)
        #expect(bursts.count(at: moment + 600, beyond: 3, within: window) == nil)
    }

    @Test func `a clock that was set back counts from the other side`() {
        var bursts = Bursts()
        for _ in 0..<4 { _ = bursts.count(at: moment, beyond: 3, within: window) }
        #expect(bursts.current(at: moment - 599, beyond: 3, within: window) == 4)
        #expect(bursts.current(at: moment - 600, beyond: 3, within: window) == nil)
        #expect(bursts.count(at: moment - 86_400, beyond: 3, within: window) == nil)
    }

    @Test func `they are as they were on record`() throws {
        var document = try EnrollmentDocument.ada()
        _ = document.bursts.count(at: moment, beyond: 3, within: window)
        document.bursts.raiseAlarm(at: moment + 7)
        let again = try document.again
        #expect(again.bursts == document.bursts)
        #expect(again.bursts.alarm == CompactDate(moment + 7))
    }

    @Test(
        arguments: [
            (-1e12, 1), (1_577_836_800, 1), (1_577_836_801.9, 1), (1_577_836_802, 2), (1e13, .max),
        ] as [(Double, UInt32)])
    func `a moment is in whole seconds of its range`(seconds: Double, expected: UInt32) {
        #expect(CompactDate(Date(timeIntervalSince1970: seconds))?.rawValue == expected)
    }

    @Test func `what isn't finite is no moment`() {
        for seconds in [Double.nan, .infinity, -.infinity] {
            #expect(CompactDate(Date(timeIntervalSince1970: seconds)) == nil)
        }
        #expect(CompactDate(rawValue: 0) == nil)
        var bursts = Bursts()
        let never = Date(timeIntervalSince1970: .nan)
        #expect(bursts.count(at: never, beyond: 0, within: window) == nil)
        #expect(bursts == Bursts())
    }
}
