import PushCore
import Testing

@testable import PushPowerAuth

@Suite struct OperationDataTests {
    @Test func `the documents' payment is read`() throws {
        let data = try PowerAuthOperationData(
            "A1*A100CZK*Q238400856/0300**D20190629*NUtility Bill Payment - 05/2019")
        #expect(data.version == "A")
        #expect(data.template == .payment)
        #expect(
            data.fields == [
                .amount("100", currency: "CZK"), .account("238400856/0300"), .empty,
                .date(year: 2019, month: 6, day: 29), .note("Utility Bill Payment - 05/2019"),
            ])
    }

    @Test(
        arguments: [
            ("A0", 0, .generic), ("B1", 1, .payment), ("Z2", 2, .login), ("A3", 3, .generic),
            ("A99", 99, .generic), ("A01", 1, .payment),
        ] as [(String, Int, PowerAuthOperationData.Template)])
    func `a template has one or two digits`(
        _ text: String, _ number: Int, _ template: PowerAuthOperationData.Template
    ) throws {
        let data = try PowerAuthOperationData(text)
        #expect(data.templateNumber == number)
        #expect(data.template == template)
        #expect(data.fields.isEmpty)
    }

    @Test(arguments: [
        "", "A", "1", "a1", "A1x", "A100", "AA1", "*A1", "A1 *T", "Ä1", "A-1", #"A1*Tx\"#,
        #"A1*T\x"#, #"A1\*T"#, "A1*T*T*T*T*T*T*T", "A1\u{301}", "A٣",
    ])
    func `anything else can't be read`(_ text: String) {
        #expect(throws: (any Error).self) { try PowerAuthOperationData(text) }
    }

    @Test(
        arguments: [
            ("A100.50EUR", .amount("100.50", currency: "EUR")),
            ("A-1CZK", .amount("-1", currency: "CZK")),
            ("A0.00000000000000000001BTC", .amount("0.00000000000000000001", currency: "BTC")),
            ("ICZ2730300000001165254011", .iban("CZ2730300000001165254011", bic: nil)),
            (
                "ICZ2730300000001165254011,AIRACZPP",
                .iban("CZ2730300000001165254011", bic: "AIRACZPP")
            ),
            ("Q", .account("")), ("D20180425", .date(year: 2018, month: 4, day: 25)),
            ("D20200229", .date(year: 2020, month: 2, day: 29)), ("R12,3", .reference("12,3")),
            ("Nnote", .note("note")), ("Ttext", .text("text")), ("", .empty),
            (#"T\*a\\b\nc"#, .text("*a\\b\nc")), (#"T\\"#, .text("\\")),
            ("Xnew", .other("Xnew")), ("é", .other("é")), ("N\u{301}", .note("\u{301}")),
            // What its letter doesn't fit is shown as it stands.
            ("A100", .other("A100")), ("ACZK", .other("ACZK")), ("A1,5CZK", .other("A1,5CZK")),
            ("A100czk", .other("A100czk")), ("A1.CZK", .other("A1.CZK")), ("I", .other("I")),
            ("ICZ,", .other("ICZ,")), ("ICZ 27", .other("ICZ 27")), ("IA,B,C", .other("IA,B,C")),
            ("D2018042", .other("D2018042")), ("D20180431", .other("D20180431")),
            ("D20190229", .other("D20190229")), ("D20181301", .other("D20181301")),
            ("D2018-4-5", .other("D2018-4-5")),
        ] as [(String, PowerAuthOperationData.Field)])
    func `a field is read by its letter`(
        _ text: String, _ field: PowerAuthOperationData.Field
    ) throws {
        #expect(try PowerAuthOperationData("A0*" + text).fields == [field])
    }

    @Test func `empty fields keep their place, and six fit`() throws {
        #expect(try PowerAuthOperationData("A0******T").fields.last == .text(""))
        #expect(try PowerAuthOperationData("A0******T").fields.count == 6)
        #expect(try PowerAuthOperationData("A0*").fields == [.empty])
    }

    @Test func `an asterisk with a combining mark still parts two fields`() throws {
        #expect(
            try PowerAuthOperationData("A0*Ta*\u{301}").fields == [.text("a"), .other("\u{301}")])
    }

    @Test func `fields are shown with what they are`() throws {
        let data = try PowerAuthOperationData(
            "A1*A100.50EUR*ICZ27,AIRA**D20180425*Rref*Nnote")
        #expect(
            data.fields.compactMap(\.shown) == [
                .init("Amount", "100.50 EUR"), .init("IBAN", "CZ27, BIC AIRA"),
                .init("Date", "2018-04-25"), .init("Reference", "ref"), .init("Note", "note"),
            ])
        let other = try PowerAuthOperationData("A0*Qacc*Ttext*Xnew")
        #expect(
            other.fields.compactMap(\.shown) == [
                .init("Account", "acc"), .init("Text", "text"), .init("Text", "Xnew"),
            ])
    }
}
