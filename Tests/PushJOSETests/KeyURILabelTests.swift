import PushJOSE
import Testing

/// The halves of an otpauth label, as people's tools write them.
struct KeyURILabelTests {
    @Test(
        arguments: [
            ("Bank: jane@example.com", "Bank", "jane@example.com"), ("Bank:jane", "Bank", "jane"),
            ("Bank:jane:x ", "Bank", "jane:x"), ("jane", nil, "jane"), (" jane", nil, "jane"),
            (" ::::!!!", nil, ":::!!!"), (":", nil, ""), ("", nil, ""),
            ("\u{200B}:jane", nil, "jane"),
            ("A:\u{301}b", "A", "\u{301}b"),
        ] as [(String, String?, String)])
    func `a label has an issuer and an account`(label: String, issuer: String?, account: String) {
        let read = KeyURILabel(label)
        #expect(read.issuer == issuer)
        #expect(read.account.utf8.elementsEqual(account.utf8))
    }

    @Test func `a name of blanks names nobody`() {
        for blank in ["", " ", "\u{200B}", "   "] { #expect(KeyURILabel.name(blank) == nil) }
        #expect(KeyURILabel.name(nil) == nil)
        #expect(KeyURILabel.name(" Bank ") == "Bank")
    }
}
