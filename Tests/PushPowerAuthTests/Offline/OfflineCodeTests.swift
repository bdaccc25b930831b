import Crypto
import Foundation
import PushCore
import Testing

@testable import PushPowerAuth

@Suite struct OfflineCodeTests {
    /// Computed by two independent programs; the vendor publishes none.
    static let example = """
        5ff1b1ed-a3cc-45a3-8ab0-ed60950312b6
        Payment
        Please confirm this payment
        A1*A100CZK*ICZ2730300000001165254011*D20180425
        B
        AD8bOO0Df73kNaIGb3Vmpg==
        1MEQCIFOj+2xw+n/cuB4MdxjrgkvlF+Q4BiP6u+E4caxyx/hfAiB2Z0LnwZx/fpPWMx+KFX3JOYTEUJC2GTHwAOkI/o55IA==
        """

    private static func exampleKey() throws -> CurvePoint {
        try CurvePoint(
            #require(Data(base64Encoded: "AjG7M9W9qNUOu51dJROO4NE+xOnqppxxyFU1Tn3FhXui")))
    }

    private static let signer = P256.Signing.PrivateKey()

    private static func key() throws -> CurvePoint {
        try CurvePoint(signer.publicKey.x963Representation)
    }

    /// A code of these lines, signed well.
    static func signed(
        _ lines: [String], type: String = "1", by key: P256.Signing.PrivateKey = signer
    ) throws -> String {
        let text = (lines + [type]).joined(separator: "\n")
        return text
            + (try key.signature(for: Data(text.utf8)).derRepresentation)
            .base64EncodedString()
    }

    private static let nonce = "AD8bOO0Df73kNaIGb3Vmpg=="

    private func operation(_ lines: [String]) throws -> PowerAuthOfflineOperation {
        let code = try #require(OfflineCode(try Self.signed(lines)))
        #expect(code.isSigned(by: try Self.key()))
        return try PowerAuthOfflineOperation(verified: code)
    }

    @Test func `the example's code is read and verified`() throws {
        let code = try #require(OfflineCode(Self.example))
        #expect(code.keyType == .personalized)
        #expect(code.isSigned(by: try Self.exampleKey()))
        #expect(!code.isSigned(by: try Self.key()))
        let operation = try PowerAuthOfflineOperation(verified: code)
        #expect(operation.id == "5ff1b1ed-a3cc-45a3-8ab0-ed60950312b6")
        #expect(operation.title == "Payment")
        #expect(operation.message == "Please confirm this payment")
        #expect(operation.data == "A1*A100CZK*ICZ2730300000001165254011*D20180425")
        #expect(operation.flags == .biometryAllowed)
        #expect(operation.nonce == Self.nonce)
        #expect(operation.totp == nil)
        #expect(
            operation.operationData?.fields == [
                .amount("100", currency: "CZK"), .iban("CZ2730300000001165254011", bic: nil),
                .date(year: 2018, month: 4, day: 25),
            ])
    }

    @Test func `the example's answer comes of it`() throws {
        let code = try #require(OfflineCode(Self.example))
        let operation = try PowerAuthOfflineOperation(verified: code)
        func secret(_ text: String) throws -> Secret {
            Secret(try #require(Data(base64Encoded: text)))
        }
        let keys = [
            try secret("M3p1tPYouptaX8z5Dhc2cw=="), try secret("SG3aE8VTXg6wzkuNuZWaIg=="),
        ]
        let counter = try SignatureCounter(data: try secret("64H8UkXgWHtwWOJ4a1FIQQ=="))
        func answer(_ body: Data) throws -> String {
            try RequestSignature.offline(
                keys: keys, counter: counter,
                over: RequestSignature.normalized(
                    uriID: OfflineOperations.uriID, nonce: code.nonce, body: body,
                    applicationSecret: RequestSignature.offlineSecret))
        }
        #expect(try answer(operation.body) == "18804321-12404994")
        #expect(try answer(operation.body + Data("&12345678".utf8)) == "87376666-66680698")
    }

    @Test func `every byte up to the key's kind is signed`() throws {
        let bytes = Array(Self.example.utf8)
        let key = try Self.exampleKey()
        let end = try #require(bytes.lastIndex(of: 0x0A)) + 1
        for place in 0...end {
            var other = bytes
            other[place] = other[place] == 0x41 ? 0x42 : 0x41
            let code = OfflineCode(String(decoding: other, as: UTF8.self))
            #expect(code?.isSigned(by: key) != true, "\(place)")
        }
    }

    @Test(arguments: [
        "", "a\nb", "a\nb\nc\nd\ne\n\(nonce)", "a\nb\nc\nd\n\(nonce)\n1AAAA",
        // No key's kind, no signature, no nonce, and a nonce of 15 bytes.
        "a\nb\nc\nd\n\n\(nonce)\n", "a\nb\nc\nd\n\n\(nonce)\n1", "a\nb\nc\nd\n\n\n1AAAA",
        "a\nb\nc\nd\n\nAAAAAAAAAAAAAAAAAAAA\n1AAAA", "a\nb\nc\nd\n\n\(nonce)\n1AAA",
        "a\nb\nc\nd\n\n\(nonce)\n1AAAA\n", "a\nb\nc\nd\n\nAD8bOO0Df73kNaIGb3Vmph==\n1AAAA",
        "a\r\nb\r\nc\r\nd\r\n\r\n\(nonce)\r\n1AAAA",
    ])
    func `a text of another form is none`(_ text: String) {
        #expect(OfflineCode(text) == nil)
    }

    @Test func `a text that is too long is none`() throws {
        let long = String(repeating: "x", count: 9000)
        #expect(OfflineCode(try Self.signed(["1", long, "m", "A1", "", Self.nonce])) == nil)
    }

    @Test(arguments: ["2", "A", " ", "\0"])
    func `a kind of key that isn't known is told`(_ type: String) throws {
        let text = try Self.signed(["1", "t", "m", "A1", "", Self.nonce], type: type)
        #expect(try #require(OfflineCode(text)).keyType == nil)
    }

    @Test func `a signature that isn't DER is wrong, not an error`() throws {
        let code = try #require(OfflineCode("1\nt\nm\nA1\n\n\(Self.nonce)\n1AAAA"))
        #expect(!code.isSigned(by: try Self.key()))
    }

    @Test func `escapes are undone in what is shown, not in what is signed`() throws {
        let read = try operation([
            "1", #"Two\nlines"#, #"a\\n\\"#, #"A1*T\*\n"#, "", Self.nonce,
        ])
        #expect(read.title == "Two\nlines")
        #expect(read.message == #"a\n\"#)
        #expect(read.data == #"A1*T\*\n"#)
        #expect(read.body == Data(#"1&A1*T\*\n"#.utf8))
        #expect(read.operationData?.fields == [.text("*\n")])
    }

    @Test(arguments: [
        ["", "t", "m", "A1", ""], ["1", #"t\x"#, "m", "A1", ""], ["1", "t", #"m\"#, "A1", ""],
        ["1", "t\t", "m", "A1", ""], ["1", "t", "m\u{85}", "A1", ""], ["1\r", "t", "m", "A1", ""],
        ["1", "t", "m", "A1\u{7F}", ""], ["1", "t", "m", "A1", "\r"],
        ["1", "t", "m", "A1", "", "1234567x"],
    ])
    func `what is signed and damaged can't be read`(_ lines: [String]) throws {
        #expect(throws: PushError.self) { try operation(lines + [Self.nonce]) }
    }

    @Test(
        arguments: [
            ("", []), ("B", [.biometryAllowed]),
            ("CFXB", [.biometryAllowed, .flipButtons, .fraudWarning, .blockApprovalOnCall]),
            ("ZC1", [.blockApprovalOnCall]), ("bx", []),
        ] as [(String, PowerAuthOfflineOperation.Flags)])
    func `flags stand in any order, and unknown ones are passed over`(
        _ text: String, _ flags: PowerAuthOfflineOperation.Flags
    ) throws {
        #expect(try operation(["1", "t", "m", "A1", text, Self.nonce]).flags == flags)
    }

    @Test func `a time-based code is signed with the answer, and later lines are passed over`()
        throws
    {
        let read = try operation(["1", "t", "m", "A1", "B", "12345678", "later", "", Self.nonce])
        #expect(read.totp == "12345678")
        #expect(read.body == Data("1&A1&12345678".utf8))
        let without = try operation(["1", "t", "m", "A1", "B", "", Self.nonce])
        #expect(without.totp == nil)
        #expect(without.body == Data("1&A1".utf8))
    }

    @Test func `an empty place of a time-based code leaves only a no`() throws {
        func prompt(_ lines: [String]) throws -> Challenge.Prompt {
            try operation(["1", "t", "m", "A1", "B"] + lines + [Self.nonce]).prompt
        }
        #expect(try prompt([]) == .approve)
        #expect(try prompt(["12345678", ""]) == .approve)
        for lines in [[""], ["", "later"]] {
            let isDenyOnly = if case .denyOnly = try prompt(lines) { true } else { false }
            #expect(isDenyOnly)
        }
    }

    @Test func `a warning of fraud comes first`() throws {
        let plain = try operation(["1", "t", "m", "A1", "BX", Self.nonce])
        let warned = try operation(["1", "t", "m", "A1", "BF", Self.nonce])
        #expect(warned.fields.first?.label == "Warning")
        #expect(Array(warned.fields.dropFirst()) == plain.fields)
        #expect(warned.prompt == .approve)
    }

    @Test func `a title or a text that would be cut leaves only a no`() throws {
        func prompt(_ title: Int, _ message: Int) throws -> Challenge.Prompt {
            let texts = [title, message].map { String(repeating: "x", count: $0) }
            return try operation(["1"] + texts + ["A1", "", Self.nonce]).prompt
        }
        #expect(try prompt(64, 2048) == .approve)
        #expect(try prompt(65, 2048) != .approve)
        #expect(try prompt(64, 2049) != .approve)
    }

    @Test func `data that can't be read leaves only a no`() throws {
        let read = try operation(["1", "t", "m", "free text", "", Self.nonce])
        #expect(read.operationData == nil)
        let isDenyOnly = if case .denyOnly = read.prompt { true } else { false }
        #expect(isDenyOnly)
        #expect(try operation(["1", "t", "m", "A2", "", Self.nonce]).prompt == .approve)
        let long = "A0*T" + String(repeating: "x", count: 2049)
        let cut = try operation(["1", "t", "m", long, "", Self.nonce]).prompt
        #expect(cut != .approve)
    }
}
