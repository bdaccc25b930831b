import Foundation
import IndependentEncodings
import PushCore
import PushForgeRock
import PushTesting
import Testing

/// The enrollment code: step 1 of `docs/vendors/forgerock.md#the-flow`. Its quirks are in
/// AMQuirkTests.
@Suite struct EnrollmentURITests {
    private func parsed(_ text: String) throws -> EnrollmentURI {
        try #require(try EnrollmentURI(text))
    }

    private func parsed(_ code: EnrollmentCode) throws -> EnrollmentURI { try parsed(code.text) }

    private func refusal(of text: String) throws -> PushError {
        try #require(throws: PushError.self) { _ = try EnrollmentURI(text) }
    }

    private func expectExample(_ uri: EnrollmentURI) throws {
        let vectors = try Vectors()
        #expect(uri.issuer == "Example Bank")
        #expect(uri.account == "jane.doe@example.com")
        #expect(uri.messageID == WorkedExample.registrationID)
        #expect(try uri.sharedSecret.copied == vectors.bytes("secret_hex"))
        #expect(try uri.challenge.copied == vectors.bytes("c1_hex"))
        #expect(uri.registrationEndpoint.text == WorkedExample.registration)
        #expect(uri.authenticationEndpoint.text == WorkedExample.authentication)
        #expect(uri.cookie == "amlbcookie=03")
        #expect(uri.user == "jane")
        #expect(uri.profileID == WorkedExample.profileID)
        #expect(uri.backgroundColor == "032b75")
        #expect(uri.image?.text == "https://am.example.com/logo.png")
    }

    @Test func `every part of the example of a push code is read`() throws {
        let uri = try parsed(Vectors()("uri_push"))
        try expectExample(uri)
        #expect(uri.policies.isEmpty)
        #expect(!uri.hasUnreadablePolicies)
        #expect(uri.oneTimeCode == nil)
    }

    @Test func `every part of the example of a combined code is read`() throws {
        let uri = try parsed(Vectors()("uri_mfa"))
        try expectExample(uri)
        let policies = #"{"biometricAvailable":{},"deviceTampering":{"score":0.8}}"#
        #expect(try JSON.object(uri.policies) == JSON(parsing: policies))
        let code = try #require(uri.oneTimeCode)
        #expect(code.kind == .totp(period: 30))
        #expect(code.secret.count == 20)
        #expect(code.algorithm == "SHA1")
        #expect(code.digits == 6)
        #expect(code.resourceID == WorkedExample.codeResourceID)
    }

    @Test func `an hotp code says its counter and algorithm`() throws {
        let code = EnrollmentCode.combined().with(scheme: "mfauth", host: "hotp")
            .with("counter", "7").with("algorithm", "SHA256")
        let half = try #require(parsed(code).oneTimeCode)
        #expect(half.kind == .hotp(counter: 7))
        #expect(half.algorithm == "SHA256")
    }

    @Test func `the order of parameters doesn't matter`() throws {
        try expectExample(parsed(EnrollmentCode().reversed))
    }

    @Test func `scheme and host are read in any case`() throws {
        try expectExample(parsed(EnrollmentCode().with(scheme: "PushAuth", host: "PUSH")))
        let combined = EnrollmentCode.combined().with(scheme: "MFAUTH", host: "TOTP")
        #expect(try parsed(combined).oneTimeCode?.kind == .totp(period: 30))
    }

    @Test(arguments: ["totp", "hotp", "push"])
    func `a combined code may name any kind`(host: String) throws {
        try expectExample(parsed(EnrollmentCode.combined().with(scheme: "mfauth", host: host)))
    }

    @Test(arguments: [
        ("pushauth", "totp"), ("pushauth", "hotp"), ("pushauth", "sms"), ("mfauth", "sms"),
        ("pushauth", ""),
    ])
    func `a host of another kind is refused`(scheme: String, host: String) throws {
        let error = try refusal(of: EnrollmentCode().with(scheme: scheme, host: host).text)
        #expect(error.code == .invalidInvitation)
    }

    @Test(arguments: ["otpauth", "https", "pushauthx", "push"])
    func `another scheme isn't this vendor's`(scheme: String) throws {
        let text = EnrollmentCode().with(scheme: scheme, host: "totp").text
        #expect(try EnrollmentURI(text) == nil)
    }

    @Test(arguments: ["", "hello", "pushauth", "://", "pushauth:push"])
    func `a text that isn't such a URI gives nothing`(text: String) {
        let uri = try? EnrollmentURI(text)
        #expect(uri == nil)
    }

    @Test(arguments: ["s", "r", "a", "m", "c"])
    func `a missing parameter is named`(name: String) throws {
        let error = try refusal(of: EnrollmentCode().with(name, nil).text)
        #expect(error.code == .invalidInvitation)
        #expect(names(error.reason, name))
    }

    @Test(arguments: ["s", "r", "a", "m", "c"])
    func `an empty parameter is named`(name: String) throws {
        let error = try refusal(of: EnrollmentCode().with(name, "").text)
        #expect(error.code == .invalidInvitation)
        #expect(names(error.reason, name))
    }

    @Test(arguments: ["s", "c"], ["=", "=="])
    func `a key or challenge of no bytes is refused`(name: String, value: String) throws {
        let error = try refusal(of: EnrollmentCode().with(name, value).text)
        #expect(error.code == .invalidInvitation)
        #expect(names(error.reason, name))
    }

    @Test(arguments: ["s", "r", "a", "c"], ["*abc", "abcde", "ab c", "%zz"])
    func `a parameter that can't be decoded is named`(name: String, value: String) throws {
        let error = try refusal(of: EnrollmentCode().with(name, value).text)
        #expect(error.code == .invalidInvitation)
        #expect(names(error.reason, name))
    }

    @Test(
        arguments: ["r", "a"], ["ftp://am.example.com/", "am.example.com", "https://", "\u{e9}"])
    func `an endpoint that is no URL is named`(name: String, url: String) throws {
        let error = try refusal(of: EnrollmentCode().with(name, base64url(url)).text)
        #expect(error.code == .invalidInvitation)
        #expect(names(error.reason, name))
    }

    @Test func `a refusal holds nothing of the code`() throws {
        let error = try refusal(of: EnrollmentCode().with("s", "*hunter2*").text)
        #expect(!error.reason.contains("hunter2"))
    }

    /// Whether a reason names a parameter, as a word of its own.
    private func names(_ reason: String, _ name: String) -> Bool {
        reason.split { !$0.isLetter }.contains { $0 == name }
    }

    @Test func `a code without query is refused`() throws {
        #expect(try refusal(of: "pushauth://push/Example:jane").code == .invalidInvitation)
    }

    @Test(arguments: ["l", "uid", "pid", "oid"])
    func `an optional parameter that can't be decoded counts as absent`(name: String) throws {
        let uri = try parsed(EnrollmentCode.combined().with(name, "*"))
        #expect((uri.cookie == nil) == (name == "l"))
        #expect((uri.user == nil) == (name == "uid"))
        #expect((uri.profileID == nil) == (name == "pid"))
        #expect((uri.oneTimeCode?.resourceID == nil) == (name == "oid"))
    }

    @Test func `everything that a client doesn't need may be absent`() throws {
        var code = EnrollmentCode().with(label: "")
        for name in ["l", "issuer", "uid", "pid", "b", "image"] { code = code.with(name, nil) }
        let uri = try parsed(code)
        #expect(uri.issuer.isEmpty)
        #expect(uri.account.isEmpty)
        #expect(uri.cookie == nil)
        #expect(uri.user == nil)
        #expect(uri.profileID == nil)
        #expect(uri.backgroundColor == nil)
        #expect(uri.image == nil)
    }

    @Test func `the label names the issuer where the parameter is absent`() throws {
        let code = EnrollmentCode().with("issuer", nil)
        #expect(try parsed(code).issuer == "Example Bank")
        #expect(try parsed(code.with(label: "jane")).issuer.isEmpty)
        #expect(try parsed(code.with(label: "jane")).account == "jane")
        #expect(try parsed(code.with(label: "Example:")).account.isEmpty)
    }

    @Test(arguments: [
        "", "=", "==", " ", "%20", "%09%20", "IA==", "IA", "ICAg", "%E2%80%8B", "4oCL",
    ])
    func `an issuer that names nobody leaves the label's`(value: String) throws {
        let code = EnrollmentCode().with("issuer", value)
        #expect(try parsed(code).issuer == "Example Bank")
        #expect(try parsed(code.with(label: "jane")).issuer.isEmpty)
    }

    @Test func `an issuer that isn't Base64 is taken as plain text`() throws {
        #expect(
            try parsed(EnrollmentCode().with("issuer", "Example%20Bank")).issuer
                == "Example Bank")
        #expect(try parsed(EnrollmentCode().with("issuer", "B%C3%A4nk!")).issuer == "B\u{e4}nk!")
    }

    @Test(arguments: ["1", nil] as [String?])
    func `the version that is known, or none, is accepted`(version: String?) throws {
        try expectExample(parsed(EnrollmentCode().with("version", version)))
    }

    @Test(arguments: ["2", "0", "x"])
    func `another version is refused and named`(version: String) throws {
        let error = try refusal(of: EnrollmentCode().with("version", version).text)
        #expect(error.code == .invalidInvitation)
        #expect(error.reason.contains("version"))
    }

    @Test func `a code that no screen could show is refused`() throws {
        let code = EnrollmentCode().with("z", String(repeating: "x", count: 20_000))
        #expect(try refusal(of: code.text).code == .invalidInvitation)
    }

    @Test func `a parameter without a value, and one that nobody knows, are ignored`() throws {
        try expectExample(parsed(EnrollmentCode().with("z", "1").text + "&y&&=&l2=x"))
    }

    @Test func `d is another name for uid`() throws {
        let code = EnrollmentCode().with("uid", nil).with("d", base64url("jane"))
        #expect(try parsed(code).user == "jane")
    }

    @Test func `the last of two equal parameters wins`() throws {
        var code = EnrollmentCode()
        code.parameters.append(("m", "REGISTER:last"))
        #expect(try parsed(code).messageID == "REGISTER:last")
    }

    @Test func `a color loses its number sign`() throws {
        #expect(try parsed(EnrollmentCode().with("b", "%23032b75")).backgroundColor == "032b75")
    }

    @Test func `the realm and other parts of both endpoints survive`() throws {
        let url = "https://am.example.com/a%2Fm/json/realms/x/push?_action=register&z=1%202"
        let uri = try parsed(
            EnrollmentCode().with("r", base64url(url)).with("a", base64url(url + "&y")))
        #expect(uri.registrationEndpoint.text == url)
        #expect(uri.authenticationEndpoint.text == url + "&y")
    }

    @Test func `a secret is never printed`() throws {
        let uri = try parsed(EnrollmentCode())
        var dumped = ""
        dump(uri, to: &dumped)
        #expect(!"\(uri)\(dumped)".contains(try Vectors()("secret_b64u")))
        #expect(!"\(uri)\(dumped)".contains("39, 201, 42"))
    }
}
