import PushCore
import PushPlusAuth
import PushTesting
import Testing

/// The code that the login page shows: `docs/vendors/plusauth.md#enrollment-code`.
@Suite struct EnrollmentURITests {
    private func parsed(_ code: EnrollmentCode) throws -> PushEnrollmentURI {
        try #require(try PushEnrollmentURI(code.text))
    }

    private func expectRefused(
        _ code: EnrollmentCode, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        do throws(PushError) {
            _ = try PushEnrollmentURI(code.text)
            Issue.record("It was taken: \(code.text)", sourceLocation: sourceLocation)
        } catch {
            #expect(error.code == .invalidInvitation, sourceLocation: sourceLocation)
        }
    }

    @Test func `every part of the example is read`() throws {
        let uri = try #require(try PushEnrollmentURI(Vectors()("uri")))
        #expect(uri.issuer == "Acme Bank")
        #expect(uri.account == "ada@example.com")
        #expect(!uri.hasConflictingIssuer)
        #expect(uri.secret.text == "12345678901234567890123456789012")
        #expect(uri.algorithm == "SHA256")
        #expect(uri.digits == 6)
        #expect(uri.period == 30)
        #expect(uri.contextToken.text == "enr+Qk2/0001=")
        #expect(uri.enrollmentURL.text == WorkedExample.enroll)
        #expect(!uri.isAlgorithmAssumed)
        #expect(try EnrollmentCode().text == Vectors()("uri"))
    }

    @Test(arguments: ["otpauth", "OTPAUTH", "OtpAuth"])
    func `the scheme's letter case doesn't matter`(scheme: String) throws {
        var code = EnrollmentCode()
        code.scheme = scheme
        #expect(try parsed(code).account == "ada@example.com")
    }

    @Test(arguments: [
        "otpauth://totp/Acme:ada?secret=GEZDGNBV", "otpauth://hotp/Acme:ada?secret=GEZDGNBV",
        "https://tenant.plusauth.example/push-authenticator/enroll", "acme://push/x?y=z", "",
        "pushauth://push/forgerock:x?a=b", "otpauth", "otpauth:", "otpauth://", "push",
    ])
    func `anything but a push code of this scheme is somebody else's`(text: String) throws {
        #expect(try PushEnrollmentURI(text) == nil)
    }

    // MARK: The label

    @Test(arguments: [
        ("Acme%20Bank:ada", "Acme Bank", "ada"), ("Acme%20Bank%3Aada", "Acme Bank", "ada"),
        ("Acme%20Bank%3aada", "Acme Bank", "ada"), ("Acme:%20%20ada", "Acme", "ada"),
        ("Acme:a:b", "Acme", "a:b"), ("Acme:a%3Ab", "Acme", "a:b"),
        ("%C3%84rzte:%C3%B6", "Ärzte", "ö"),
    ])
    func `the label is split at its first colon`(
        label: String, issuer: String, account: String
    ) throws {
        let uri = try parsed(EnrollmentCode().with(label: label).with("issuer", nil))
        #expect(uri.issuer == issuer)
        #expect(uri.account == account)
        #expect(!uri.hasConflictingIssuer)
    }

    @Test func `a label may name the account alone`() throws {
        let alone = EnrollmentCode().with(label: "ada").with("issuer", nil)
        #expect(try parsed(alone).issuer == nil)
        #expect(try parsed(alone).account == "ada")
        #expect(try parsed(EnrollmentCode().with(label: "ada")).issuer == "Acme Bank")
    }

    @Test func `the issuer's parameter wins over the label, and a difference is flagged`() throws {
        let uri = try parsed(EnrollmentCode().with("issuer", "Other%20Bank"))
        #expect(uri.issuer == "Other Bank")
        #expect(uri.hasConflictingIssuer)
        #expect(uri.account == "ada@example.com")
    }

    @Test func `a code without a label is refused`() {
        expectRefused(EnrollmentCode().with(label: ""))
    }

    // MARK: Plus signs and escapes

    @Test func `a plus sign is a space in the issuer, and itself everywhere else`() throws {
        let uri = try parsed(
            EnrollmentCode().with("issuer", "Acme+Bank").with("context_token", "a+b%2Bc")
                .with("enrollment_url", "https://tenant.plusauth.example/a+b/enroll"))
        #expect(uri.issuer == "Acme Bank")
        #expect(!uri.hasConflictingIssuer)
        #expect(uri.contextToken.text == "a+b+c")
        #expect(uri.enrollmentURL.path == "/a+b/enroll")
        expectRefused(EnrollmentCode().with("secret", "GEZD+GNBV"))
    }

    @Test func `escapes are decoded once`() throws {
        let uri = try parsed(EnrollmentCode().with("context_token", "a%252Bb"))
        #expect(uri.contextToken.text == "a%2Bb")
    }

    // MARK: Parameters

    @Test(arguments: ["secret", "context_token", "enrollment_url"])
    func `what is required must be there`(name: String) {
        expectRefused(EnrollmentCode().with(name, nil))
        expectRefused(EnrollmentCode().with(name, ""))
    }

    @Test(arguments: EnrollmentCode.names)
    func `no parameter may come twice, not even alike`(name: String) throws {
        let code = EnrollmentCode()
        let value = try #require(code.parameters.first { $0.name == name }?.value)
        expectRefused(code.adding(name, value))
        expectRefused(code.adding(name, "x"))
    }

    @Test func `unknown parameters are ignored, and so is the order`() throws {
        var code = EnrollmentCode().adding("image", "x").adding("image", "y").adding("Secret", "z")
        code.parameters.reverse()
        #expect(try parsed(code).secret.text == "12345678901234567890123456789012")
    }

    @Test(arguments: [
        ("gezdgnbvgy3tqojq", "1234567890"), ("GEZD%20GNBV%20GY3T%20QOJQ", "1234567890"),
        ("GEZD-GNBV-GY3T-QOJQ", "1234567890"), ("GEZDGNBVGY%3D%3D%3D%3D%3D%3D", "123456"),
        ("GEZDGNBVGY", "123456"), ("GEZDGNBVGZ", "123456"),
    ])
    func `a secret is read leniently`(written: String, meant: String) throws {
        #expect(try parsed(EnrollmentCode().with("secret", written)).secret.text == meant)
    }

    @Test func `the documentation's own placeholder is a secret of six bytes`() throws {
        #expect(try parsed(EnrollmentCode().with("secret", "SOMESECRET")).secret.count == 6)
    }

    @Test(arguments: [
        "GEZD0NBV", "GEZD1NBV", "GEZD8NBV", "GEZD%21", "%C3%84", "GEZD%00", "-", "%20", "A",
    ])
    func `what isn't base32 is no secret`(secret: String) {
        expectRefused(EnrollmentCode().with("secret", secret))
    }

    @Test(arguments: [
        ("SHA1", "SHA1"), ("sha1", "SHA1"), ("Sha256", "SHA256"), ("sha512", "SHA512"),
    ])
    func `the algorithm's letter case doesn't matter`(written: String, meant: String) throws {
        let uri = try parsed(EnrollmentCode().with("algorithm", written))
        #expect(uri.algorithm == meant)
        #expect(!uri.isAlgorithmAssumed)
    }

    @Test func `an absent algorithm is SHA-1, and said to be assumed`() throws {
        let uri = try parsed(EnrollmentCode().with("algorithm", nil))
        #expect(uri.algorithm == "SHA1")
        #expect(uri.isAlgorithmAssumed)
    }

    @Test(arguments: ["MD5", "SHA224", "SHA384", "SHA-256", "HMACSHA256", "256"])
    func `an unknown algorithm is refused`(name: String) {
        expectRefused(EnrollmentCode().with("algorithm", name))
    }

    @Test func `digits and period have defaults and bounds`() throws {
        let plain = try parsed(EnrollmentCode().with("digits", nil).with("period", nil))
        #expect(plain.digits == 6)
        #expect(plain.period == 30)
        for digits in [6, 7, 8] {
            #expect(try parsed(EnrollmentCode().with("digits", "\(digits)")).digits == digits)
        }
        for period in [15, 60, 300] {
            #expect(try parsed(EnrollmentCode().with("period", "\(period)")).period == period)
        }
        for digits in ["5", "9", "0", "-6", "six", "6.0", "99999999999999999999", "%D9%A6"] {
            expectRefused(EnrollmentCode().with("digits", digits))
        }
        for period in ["14", "301", "0", "-30", "30s", "3e1", "99999999999999999999"] {
            expectRefused(EnrollmentCode().with("period", period))
        }
    }

    // MARK: Where it leads

    @Test(arguments: [
        "http://tenant.plusauth.example/enroll", "ftp://tenant.plusauth.example/enroll",
        "https:///enroll", "https://", "//tenant.plusauth.example/enroll", "/enroll", "enroll",
        "https://192.0.2.1/enroll", "https://127.0.0.1:8443/enroll", "https://[::1]/enroll",
        "https://[2001:db8::1]/enroll", "https://localhost/enroll", "https://LOCALHOST/enroll",
        "https://localhost:8443/enroll", "https://localhost./enroll",
        "https://user@tenant.plusauth.example/enroll",
        "https://user:pw@tenant.plusauth.example/enroll",
        "https://tenant.plusauth.example@evil.example/enroll",
        "https://tenant.plusauth.example/enroll#x", "https://tenant.plusauth.example:0/enroll",
        "https://tenant.plusauth.example/en roll", "https://tenant.plusauth.example\\@evil.example",
        "javascript:alert(1)", "x",
    ])
    func `a code leads to a named host over TLS, or nowhere`(url: String) {
        expectRefused(.at(url))
    }

    @Test(arguments: [
        "https://127.0.0.1:8443/enroll", "https://localhost/enroll", "https://[::1]/e",
    ])
    func `a switch for tests allows this machine`(url: String) throws {
        let code = EnrollmentCode.at(url)
        let uri = try PushEnrollmentURI(code.text, allowsLocalHosts: true)
        #expect(uri?.enrollmentURL.text == url)
    }

    @Test func `a custom domain, a port and a query are kept`() throws {
        let url = "https://login.acme.example:8443/x/enroll?tenant=a%20b"
        #expect(try parsed(.at(url)).enrollmentURL.text == url)
    }

    // MARK: Size

    @Test func `a code of more than four kilobytes is refused`() throws {
        let rest = 4_096 - EnrollmentCode().adding("pad", "").text.utf8.count
        let longest = EnrollmentCode().adding("pad", String(repeating: "x", count: rest))
        #expect(longest.text.utf8.count == 4_096)
        #expect(try parsed(longest).account == "ada@example.com")
        expectRefused(EnrollmentCode().adding("pad", String(repeating: "x", count: rest + 1)))
    }

    @Test func `no damaged code stops the app`() {
        let text = Array(EnrollmentCode().text)
        for end in stride(from: 0, to: text.count, by: 3) {
            _ = try? PushEnrollmentURI(String(text[..<end]))
            _ = try? PushEnrollmentURI(String(text[..<end]) + "%" + String(text[end...]))
            _ = try? PushEnrollmentURI(String(text[..<end]) + "\0\u{1F600}" + String(text[end...]))
        }
    }
}
