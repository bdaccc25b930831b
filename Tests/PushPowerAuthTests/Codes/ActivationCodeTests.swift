import Foundation
import PushCore
import PushTesting
import Testing

@testable import PushPowerAuth

@Suite struct ActivationCodeTests {
    /// The first of our own making, the others from powerauth-crypto, `docs/Activation-Code.md`.
    private static let valid = [
        "AAAQE-AYEAU-DAOCA-JIICA", "AAAAA-AAAAA-AAAAA-AAAAA", "MMMMM-MMMMM-MMMMM-MUTOA",
        "W65WE-3T7VI-7FBS2-A4OYA", "VVVVV-VVVVV-VVVVV-VTFVA", "GYA4L-D4C7K-OP2NV-USYYQ",
    ]

    @Test(arguments: valid) func `a valid code is read`(text: String) throws {
        #expect(try ActivationCode(text).text == text)
        #expect(try ActivationCode.typed(text).text == text)
    }

    /// 0xBB3D is the published check value of CRC-16/ARC.
    @Test func `the checksum is CRC-16/ARC`() {
        #expect(CRC16.checksum("123456789".utf8) == 0xBB3D)
        #expect(CRC16.checksum(Sample.ascending(10)) == 0x4204)
        #expect(CRC16.checksum([]) == 0)
    }

    @Test func `ten bytes make the code of the example`() {
        #expect(
            ActivationCode(payload: Array(Sample.ascending(10))).text == "AAAQE-AYEAU-DAOCA-JIICA")
    }

    @Test func `codes that are made are valid, and differ`() throws {
        let random = SeededRandom(seed: 1)
        let codes = (0..<200).map { _ in ActivationCode(random: random) }
        for code in codes {
            #expect(try ActivationCode(code.text) == code)
        }
        #expect(Set(codes.map(\.text)).count == codes.count)
    }

    @Test func `one other character anywhere makes it another code or none`() throws {
        let characters = Array("W65WE-3T7VI-7FBS2-A4OYA")
        for place in characters.indices {
            for other in "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567-" where other != characters[place] {
                var changed = characters
                changed[place] = other
                let text = String(changed)
                #expect(
                    Sample.refusal { _ = try ActivationCode(text) } == .invalidInvitation, "\(text)"
                )
            }
        }
    }

    @Test func `the last character's unused bits are zero`() throws {
        for last in "BCDEFGHIJKLMNOP" {
            let text = "AAAAA-AAAAA-AAAAA-AAAA\(last)"
            #expect(
                Sample.refusal { _ = try ActivationCode(text) } == .invalidInvitation, "\(text)")
        }
    }

    @Test(arguments: [
        "", "-", "---", "W65WE3T7VI7FBS2A4OYA", "w65we-3t7vi-7fbs2-a4oya",
        "W65WE-3T7VI-7FBS2-A4OYA-", " W65WE-3T7VI-7FBS2-A4OYA", "W65WE-3T7VI-7FBS2-A4OYA\n",
        "W65WE-3T7VI-7FBS2-A4OYA\r\n", "W65WE-3T7VI-7FBS2", "W65WE-3T7VI-7FBS2-A40YA",
        "W65WE_3T7VI_7FBS2_A4OYA", "W65W-E3T7VI-7FBS2-A4OYA", "W65WE-3T7VI-7FBS2-A4OYA====",
        "W65WE-3T7VI-7FBS2-A4OY\u{C1}", "W65WE-3T7VI-7FBS2-A4OYA\u{301}",
        "\u{FF37}65WE-3T7VI-7FBS2-A4OYA", "AAAAA-AAAAA-AAAAA-AAA=A",
    ])
    func `the validator takes nothing but the code`(text: String) {
        #expect(Sample.refusal { _ = try ActivationCode(text) } == .invalidInvitation)
    }

    @Test(arguments: [
        "w65we-3t7vi-7fbs2-a4oya", "W65WE-3T7VI-7FBS2-A40YA", "w65we3t7vi7fbs2a40ya",
        "W65WE3T7VI7FBS2A4OYA",
    ])
    func `a typed code may be in lower case, with a zero for O and without hyphens`(
        text: String
    ) throws {
        #expect(try ActivationCode.typed(text).text == "W65WE-3T7VI-7FBS2-A4OYA")
    }

    @Test func `a typed one stands for I`() throws {
        // A code that begins with I: bytes whose first five bits are 8.
        let code = ActivationCode(payload: [0x40] + Array(repeating: 0, count: 9))
        #expect(code.text.hasPrefix("I"))
        #expect(try ActivationCode.typed("1" + code.text.dropFirst()) == code)
    }

    @Test(arguments: [
        "", "W65WE 3T7VI 7FBS2 A4OYA", "W65WE-3T7VI-7FBS2-A4OYA ", "W65WE-3T7VI7FBS2A4OYA",
        "W65WE-3T7VI-7FBS2-A4OY8", "W65WE-3T7VI-7FBS2-A4OYB", "W65WE-3T7VI-7FBS2-A4OYA#",
        "\u{131}AAAA-AAAAA-AAAAA-AAAAA", "W65WE3T7VI7FBS2A4OY\u{C4}", "--------------------",
    ])
    func `anything else that is typed is refused`(text: String) {
        #expect(Sample.refusal { _ = try ActivationCode.typed(text) } == .invalidInvitation)
    }
}
