import PushCore
import PushJOSE
import Testing

struct HOTPTests {
    static let secret = Secret(Array("12345678901234567890".utf8))

    /// RFC 4226 appendix D.
    static let codes = [
        "755224", "287082", "359152", "969429", "338314", "254676", "287922", "162583", "399871",
        "520489",
    ]

    @Test func `the vectors of RFC 4226 appendix D hold`() throws {
        let hotp = try HOTP(secret: Self.secret)
        #expect((0..<10).map { hotp.code(counter: $0) } == Self.codes)
    }

    @Test func `more digits extend the code to the left`() throws {
        // RFC 4226 appendix D, "Decimal": 1284755224 for counter 0, 137359152 for counter 2.
        for (digits, codes) in [
            (6, ["755224", "359152"]), (7, ["4755224", "7359152"]),
            (8, ["84755224", "37359152"]),
        ] {
            let hotp = try HOTP(secret: Self.secret, digits: digits)
            #expect([hotp.code(counter: 0), hotp.code(counter: 2)] == codes)
        }
    }

    @Test(arguments: [Int.min, -1, 0, 1, 5, 9, 10, 20, .max])
    func `digits out of range are refused`(digits: Int) {
        let code = refusal {
            try HOTP(secret: Self.secret, digits: digits)
        }
        #expect(code == .invalidArgument)
    }

    @Test func `an empty secret is refused`() {
        #expect(refusal { try HOTP(secret: Secret([])) } == .invalidArgument)
    }

    @Test func `a code is found within the window and nowhere else`() throws {
        let hotp = try HOTP(secret: Self.secret)
        #expect(try hotp.verify("755224", counter: 0) == 0)
        #expect(try hotp.verify("969429", counter: 1, lookAhead: 2) == 3)
        #expect(refusal { try hotp.verify("969429", counter: 1, lookAhead: 1) } == .untrusted)
        #expect(refusal { try hotp.verify("755224", counter: 1, lookAhead: 8) } == .untrusted)
    }

    @Test func `of two counters with one code the lower is meant`() throws {
        for seed in UInt64(0)..<5_000 {
            var generator = SeededGenerator(seed: seed)
            let hotp = try HOTP(secret: Secret(generator.bytes(20)))
            let codes = (0...100).map { hotp.code(counter: $0) }
            guard
                let repeated = codes.first(where: { code in codes.filter { $0 == code }.count > 1 })
            else { continue }
            let lowest = try #require(codes.firstIndex(of: repeated))
            #expect(try hotp.verify(repeated, counter: 0, lookAhead: 100) == UInt64(lowest))
            return
        }
        Issue.record("No seed repeats a code.")
    }

    @Test(arguments: ["", "75522", "7552244", "755225", " 755224", "755224\n", "٧٥٥٢٢٤", "abcdef"])
    func `anything else is refused`(code: String) throws {
        let hotp = try HOTP(secret: Self.secret)
        #expect(refusal { try hotp.verify(code, counter: 0) } == .untrusted)
    }

    @Test(arguments: [Int.min, -1, 101, .max])
    func `a window out of range is refused`(window: Int) throws {
        let hotp = try HOTP(secret: Self.secret)
        #expect(
            refusal { try hotp.verify("755224", counter: 0, lookAhead: window) }
                == .invalidArgument)
    }

    @Test func `the last counter is no trap`() throws {
        let hotp = try HOTP(secret: Self.secret)
        let last = hotp.code(counter: .max)
        #expect(try hotp.verify(last, counter: .max, lookAhead: 100) == .max)
        #expect(try hotp.verify(last, counter: .max - 3, lookAhead: 100) == .max)
    }
}
