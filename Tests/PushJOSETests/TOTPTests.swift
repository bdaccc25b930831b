import Foundation
import PushCore
import PushJOSE
import Testing

struct TOTPTests {
    /// The seeds of RFC 6238 appendix B: these digits, as many as the hash has bytes.
    static func secret(_ count: Int) -> Secret {
        Secret((0..<count).map { UInt8(ascii: "0") + UInt8(($0 + 1) % 10) })
    }

    /// RFC 6238 appendix B: time, then the codes by SHA-1, SHA-256 and SHA-512.
    static let vectors: [(TimeInterval, [String])] = [
        (59, ["94287082", "46119246", "90693936"]),
        (1_111_111_109, ["07081804", "68084774", "25091201"]),
        (1_111_111_111, ["14050471", "67062674", "99943326"]),
        (1_234_567_890, ["89005924", "91819424", "93441116"]),
        (2_000_000_000, ["69279037", "90698825", "38618901"]),
        (20_000_000_000, ["65353130", "77737706", "47863826"]),
    ]

    @Test(arguments: vectors) func `the vectors of RFC 6238 appendix B hold`(
        time: TimeInterval, codes: [String]
    ) throws {
        let parameters: [(OTPAlgorithm, Int)] = [(.sha1, 20), (.sha256, 32), (.sha512, 64)]
        for ((algorithm, count), code) in zip(parameters, codes) {
            let totp = try TOTP(secret: Self.secret(count), algorithm: algorithm, digits: 8)
            let now = Date(timeIntervalSince1970: time)
            #expect(try totp.code(at: now) == code)
            #expect(try totp.verify(code, at: now, window: 0) == UInt64(time) / 30)
        }
    }

    @Test func `a code lasts exactly its period`() throws {
        let totp = try TOTP(secret: Self.secret(20), period: 60)
        func step(_ time: TimeInterval) throws -> UInt64 {
            try totp.step(at: Date(timeIntervalSince1970: time))
        }
        #expect(try step(0) == 0)
        #expect(try step(59.999) == 0)
        #expect(try step(60) == 1)
        #expect(totp.period == 60)
        #expect(totp.digits == 6)
    }

    @Test func `a code counts within the window and nowhere else`() throws {
        let totp = try TOTP(secret: Self.secret(20))
        let code = try totp.code(at: Date(timeIntervalSince1970: 1_000_000_000))
        func step(at time: TimeInterval, window: Int) -> UInt64? {
            try? totp.verify(code, at: Date(timeIntervalSince1970: time), window: window)
        }
        let genuine: UInt64 = 1_000_000_000 / 30
        #expect(step(at: 1_000_000_000, window: 0) == genuine)
        #expect(step(at: 1_000_000_030, window: 0) == nil)
        #expect(step(at: 1_000_000_030, window: 1) == genuine)
        #expect(step(at: 999_999_970, window: 1) == genuine)
        #expect(step(at: 1_000_000_060, window: 1) == nil)
        #expect(step(at: 999_999_940, window: 1) == nil)
    }

    @Test(arguments: [
        -1, -0.001, -.infinity, .infinity, .nan, -.greatestFiniteMagnitude,
        .greatestFiniteMagnitude,
        0x1p64,
    ]) func `a time without a step is refused`(time: TimeInterval) throws {
        let totp = try TOTP(secret: Self.secret(20))
        let date = Date(timeIntervalSince1970: time)
        #expect(refusal { try totp.code(at: date) } == .invalidArgument)
        #expect(refusal { try totp.verify("000000", at: date) } == .invalidArgument)
    }

    @Test func `neither end of time is a trap`() throws {
        let totp = try TOTP(secret: Self.secret(20), period: 1)
        for time in [0, 0x1.fffffffffffffp63] {
            let date = Date(timeIntervalSince1970: time)
            let code = try totp.code(at: date)
            #expect(throws: Never.self) { try totp.verify(code, at: date, window: 100) }
        }
    }

    @Test func `arguments out of range are refused`() throws {
        for period in [Int.min, -1, 0] {
            #expect(
                refusal { try TOTP(secret: Self.secret(20), period: period) }
                    == .invalidArgument)
        }
        for digits in [-1, 5, 9] {
            #expect(
                refusal { try TOTP(secret: Self.secret(20), digits: digits) }
                    == .invalidArgument)
        }
        let totp = try TOTP(secret: Self.secret(20), period: .max)
        for window in [Int.min, -1, 101, .max] {
            #expect(
                refusal { try totp.verify("000000", at: Date(), window: window) }
                    == .invalidArgument)
        }
    }
}
