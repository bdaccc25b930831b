import Foundation
import PushCore
import PushTesting
import Testing

@Suite struct ConversionTests {
    @Test(
        arguments: [
            ([], ""), ([0], "00"), ([0x0A, 0xFF], "0aff"), ([0x12, 0x90, 0xEF], "1290ef"),
        ] as [([UInt8], String)])
    func `bytes are written as pairs of digits, and read again`(bytes: [UInt8], text: String) {
        #expect(Hexadecimal.text(bytes) == text)
        #expect(Hexadecimal.text(bytes, upperCase: true) == text.uppercased())
        #expect(Hexadecimal.bytes(text.utf8) == bytes)
        #expect(Hexadecimal.bytes(text.uppercased().utf8) == bytes)
    }

    @Test(arguments: ["0", "000", "0g", "G0", " 0", "0x", "-1", "0:", "@A", "`a", "/0"])
    func `anything but pairs of digits isn't read`(text: String) {
        #expect(Hexadecimal.bytes(text.utf8) == nil)
    }

    @Test func `a duration is told in seconds and in whole milliseconds`() {
        #expect(Duration.milliseconds(1500).inSeconds == 1.5)
        #expect(Duration.milliseconds(-1500).inSeconds == -1.5)
        #expect(Duration.microseconds(2_999_999).inMilliseconds == 2999)
        #expect(Duration.milliseconds(-1500).inMilliseconds == -1500)
    }

    @Test func `a duration beyond all measure leaves room for a sum`() {
        #expect(Duration.seconds(Int64.max).inMilliseconds == .max / 4)
        #expect(Duration.seconds(Int64.min).inMilliseconds == .min / 4)
    }

    @Test func `evidence is found by its kind`() {
        let evidence: [Evidence] = [
            .presence, .pin(secret("1234")), .biometry(secret("key")), .code(secret("567")),
            .pin(secret("no")),
        ]
        #expect(evidence.pin?.copiedText() == "1234")
        #expect(evidence.code?.copiedText() == "567")
        #expect(evidence.biometricSecret?.copiedText() == "key")
        #expect(evidence.holdsBiometry)
        let bare: [Evidence] = [.biometry(nil)]
        #expect(bare.holdsBiometry)
        #expect(bare.biometricSecret == nil)
        #expect(bare.pin == nil && bare.code == nil)
        #expect(![Evidence.deviceCredential].holdsBiometry)
    }

    @Test func `a token of Apple's is written in upper-case digits`() {
        let token = DeviceToken.apns(Data([0x0A, 0xFF, 0x00]), isSandbox: true)
        #expect(token == .apns(hex: "0AFF00", isSandbox: true))
    }

    @Test func `a secret's text is copied in and out as UTF-8`() {
        #expect(Secret(copying: "pässword"[...]).withBytes { Array($0) } == Array("pässword".utf8))
        #expect(Secret([0x61, 0xFF]).copiedText() == "a\u{FFFD}")
    }

    @Test func `a whole number is JSON as it is, or the nearest that 64 bits hold`() {
        #expect(JSON.integer(7) == 7)
        #expect(JSON.integer(UInt64.max) == .number(.init(Int64.max)))
    }

    @Test func `an index is below its bound, and follows from eight bytes`() {
        let random = SeededRandom(seed: 3)
        #expect((0..<100).allSatisfy { _ in (0..<7).contains(random.index(below: 7)) })
        let first = SeededRandom(seed: 9).bytes(8).withBytes { Array($0) }
        let number = first.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        #expect(SeededRandom(seed: 9).index(below: 1000) == Int(number % 1000))
    }

    @Test func `a member that isn't what it must be is named`() throws {
        let reader = MemberReader(["a": 1, "n": nil, "t": "text", "b": true])
        #expect(try reader.text("t") == "text")
        #expect(try reader.optionalText("n") == nil)
        #expect(try reader.flag("n") == false && reader.flag("x") == false)
        #expect(try reader.bool("b") && reader.flag("b"))
        #expect(reader["n"] == nil && reader["a"] == 1)
        for body in [
            { try reader.text("a") }, { try reader.optionalText("a") ?? "" },
            { "\(try reader.flag("a"))" }, { "\(try reader.bool("a"))" },
        ] as [() throws -> String] {
            let error = #expect(throws: PushError.self) { try body() }
            #expect(error?.code == .malformed)
            #expect(error?.reason.contains("\"a\"") == true)
        }
        #expect(throws: PushError.self) { try reader.text("n") }
        #expect(throws: PushError.self) { try MemberReader(nil) }
        #expect(throws: PushError.self) { try MemberReader("text") }
    }
}
