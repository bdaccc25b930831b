import Crypto
import Foundation
import HTTPTypes
import IndependentEncodings
import PushCore
import PushTesting
import PushXignIn
import PushXignInReference
import Testing

/// Joining a manager: `docs/vendors/xignin-oxrw.md#2-binding-a-device`.
@Suite struct PersonalizationTests: JoiningSuite {
    let joining: Joining

    init() throws { joining = try Joining() }

    // MARK: The link

    @Test func `the example's link is an offer, by scan and by hand`() throws {
        let uri = try Vectors().text("personalization_qr", "uri")
        for invitation in [Invitation.scanned(text: uri), .typed(text: uri)] {
            let offer = try #require(phone.authenticator.offers(for: invitation).first)
            #expect(offer.issuer == WorkedExample.idm)
            #expect(offer.host == WorkedExample.manager)
            #expect(offer.asks.contains([.newPIN]))
        }
    }

    @Test func `an offer sends nothing and keeps nothing`() async throws {
        _ = try phone.authenticator.offers(for: .scanned(text: await link()))
        #expect(await manager.requests.isEmpty)
        #expect(await phone.store.count == 0)
    }

    @Test(arguments: [
        "https://manager.xignin.example", "otpauth://totp/x", "oxrw", "hello", "",
        "acme://personalize?d=e30",
    ])
    func `another vendor's link is no offer`(text: String) throws {
        #expect(try phone.authenticator.offers(for: .scanned(text: text)).isEmpty)
    }

    @Test(arguments: [
        ("mgr", "http://manager.xignin.example"), ("mgr", "https://user@manager.xignin.example"),
        ("mgr", "https://u:p@manager.xignin.example"), ("mgr", "https://manager.xignin.example/"),
        ("mgr", "https://manager.xignin.example/x"), ("mgr", "https://manager.xignin.example?x"),
        ("mgr", "https://manager.xignin.example#x"), ("mgr", "https://Manager.xignin.example"),
        ("mgr", "HTTPS://manager.xignin.example"), ("mgr", "https://"), ("mgr", ""),
        ("mgr", "ftp://manager.xignin.example"), ("mgr", "https://manager.xignin.example:"),
        ("mgr", "https://manager.xignin.example:99999"), ("mgr", "http://127.0.0.1:8080"),
        ("idm", ""), ("idm", "a/b"), ("idm", "a b"), ("act", ""), ("act", "AAAA"),
        ("act", "0yjW-E5Jdv9gVjT6qEUeiYIac-uToq4DsipMZowfqXQ="),
        ("act", "0yjW-E5Jdv9gVjT6qEUeiYIac-uToq4DsipMZowfqXR"), ("mk", ""), ("mk", "BAAA"),
        (
            "mk",
            "BAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
        ),
    ])
    func `a link with a bad member is refused`(name: String, value: String) async throws {
        var members = await manager.linkMembers(secret: secret)
        members[name] = .string(value)
        let error = try await refusal {
            _ = try phone.authenticator.offers(for: .scanned(text: Manager.link(members)))
        }
        #expect(error.code == .invalidInvitation)
        #expect(!"\(error)".contains(base64url(secret)))
    }

    @Test(arguments: ["v", "mgr", "idm", "act", "mk"])
    func `a link without a member is refused`(name: String) async throws {
        for value in [nil, .null, 7, ["x"], name == "v" ? "1" : 1, 2] as [JSON?] {
            var members = await manager.linkMembers(secret: secret)
            members[name] = value
            #expect(throws: PushError.self) {
                try phone.authenticator.offers(for: .scanned(text: Manager.link(members)))
            }
        }
    }

    @Test func `a link that isn't strict is refused`() async throws {
        let good = JSON.object(await manager.linkMembers(secret: secret)).text
        let texts = [
            "\u{FEFF}\(good)", "\(good)x", good.dropLast() + #","idm":"idm-other"}"#, "[]", "7",
            good.dropLast() + #","x":1.5}"#,
        ]
        for text in texts {
            #expect(throws: PushError.self) {
                try phone.authenticator.offers(
                    for: .scanned(text: "oxrw://personalize?d=\(base64url(text))"))
            }
        }
        #expect(throws: PushError.self) {
            try phone.authenticator.offers(
                for: .scanned(text: "oxrw://personalize?d=\(base64url(good))="))
        }
    }

    @Test func `plain HTTP on this machine needs the switch for tests`() async throws {
        var configuration = Phone.quick
        configuration.allowsPlainHTTP = true
        let manager = Manager(
            host: "127.0.0.1:8080", time: ManualClock(Date(WorkedExample.personalized)))
        let phone = try Phone([manager], configuration: configuration)
        var members = await manager.linkMembers()
        members["mgr"] = "http://127.0.0.1:8080"
        #expect(try await phone.enroll(Manager.link(members)).state == .active)
    }

    // MARK: What is sent

    @Test func `an enrollment says whose it is`() async throws {
        let enrollment = try await phone.enroll(await link())
        #expect(enrollment.id == Enrollment.ID(WorkedExample.idm, of: "xignin"))
        #expect(enrollment.state == .active)
        #expect(enrollment.account == WorkedExample.account)
        #expect(enrollment.host == WorkedExample.manager)
        #expect(enrollment.deviceToken == .fcm(WorkedExample.token))
        #expect(await manager.complaints.isEmpty)
        #expect(await manager.requests.count == 1)
    }

    @Test(arguments: [Device.Platform.apple, .android, .other])
    func `the token is Firebase's on every system, and goes along with its service's name`(
        platform: Device.Platform
    ) async throws {
        var kind = Phone.Kind()
        kind.platform = platform
        let phone = try Phone([manager], kind: kind)
        try await phone.authenticator.deviceTokenChanged(.apns(hex: "00FF", isSandbox: false))
        try await phone.enroll(await link(), token: .fcm("a-token"))
        let request = try #require(await manager.requests.first)
        #expect(request["platform"] == "fcm")
        #expect(request["push_token"] == "a-token")
        #expect(request["alias"] == "test phone")
        try await phone.personalizer.updatePushToken(idmIdentifier: WorkedExample.idm, token: nil)
        let removal = try #require(await manager.requests(.token).first)
        #expect(removal["token"] == .null)
        #expect(removal["platform"] == (platform == .other ? "test" : "fcm"))
        #expect(await manager.complaints.isEmpty)
    }

    @Test func `a token of Apple's service is none for a manager`() async throws {
        try await phone.enroll(await link(), token: .apns(hex: "00FF", isSandbox: false))
        #expect(try #require(await manager.requests.first)["push_token"] == .null)
        let error = try await refusal {
            try await phone.authenticator.deviceTokenChanged(
                .apns(hex: "00FF", isSandbox: false), for: phone.enrollmentID())
        }
        #expect(error.code == .invalidArgument)
        #expect(await manager.requests(.token).isEmpty)
    }

    @Test func `without a token it says so`() async throws {
        try await phone.enroll(await link(), token: nil)
        let request = try #require(await manager.requests.first)
        #expect(request["push_token"] == .null)
        #expect(await manager.complaints.isEmpty)
    }

    @Test func `the PIN is stretched as often as configured, and 100,000 times by default`()
        async throws
    {
        #expect(
            XignIn.Configuration(wireFormat: OpenReferenceWireFormat()).pinIterations == 100_000)
        try await phone.enroll(await link())
        let setup = try #require(await manager.activations.values.first?.setup)
        #expect(setup.iterations == 10)
        #expect(
            setup.verifier
                == pbkdf2(
                    Array(WorkedExample.pin.utf8), salt: setup.salt, iterations: setup.iterations))
    }

    @Test func `with the default the verifier is what the RFC says`() async throws {
        let phone = try Phone(
            [manager], configuration: XignIn.Configuration(wireFormat: OpenReferenceWireFormat()))
        try await phone.enroll(await link())
        let setup = try #require(await manager.activations.values.first?.setup)
        #expect(setup.iterations == 100_000)
        #expect(
            setup.verifier
                == pbkdf2(Array(WorkedExample.pin.utf8), salt: setup.salt, iterations: 100_000))
    }

    @Test func `neither the PIN, its verifier nor the activation secret is in any byte sent`()
        async throws
    {
        let keypad = Keypad(pin: "correct horse battery")
        let phone = try Phone([manager], keypad: keypad)
        try await phone.enroll(await link())
        let setup = try #require(await manager.activations.values.first?.setup)
        let pid = await manager.begin()
        try await phone.deliver()
        #expect(try await phone.approve(pid) == .delivered)
        try await phone.authenticator.deviceTokenRemoved(of: .fcm)
        try await phone.authenticator.remove(phone.enrollmentID())
        let derived = Manager.Derived(secret, idm: WorkedExample.idm)
        let hidden = [
            secret, Array("correct horse battery".utf8), setup.verifier, setup.salt, derived.mac,
            derived.seal,
        ]
        let sent = try await sentBytes(of: phone)
        for (index, bytes) in hidden.enumerated() {
            for form in bytes.forms {
                #expect(!sent.contains { $0.contains(run: form) }, "\(index)")
            }
        }
        // The search would have found something: the account's token is there to be found.
        let found = Array(WorkedExample.token.utf8).forms.contains { form in
            sent.contains { $0.contains(run: form) }
        }
        #expect(found)
    }

    /// Everything that left the phone, each token's parts and each sealed text also read.
    private func sentBytes(of phone: Phone) async throws -> [[UInt8]] {
        var all: [[UInt8]] = []
        for exchange in await phone.transport.exchanges {
            var texts = exchange.request.headerFields.map(\.value)
            texts.append(exchange.request.path ?? "")
            texts.append(String(decoding: exchange.body, as: UTF8.self))
            all += texts.map { Array($0.utf8) }
            for text in texts {
                for word in text.split(whereSeparator: { " .\"".contains($0) }) {
                    if let bytes = decoded(base64url: word) { all.append(bytes) }
                }
            }
        }
        // Factors' own tokens lie inside the assertion's text.
        let inner = all.flatMap { bytes in
            String(decoding: bytes, as: UTF8.self).split(whereSeparator: { ".\"".contains($0) })
                .compactMap { decoded(base64url: $0) }
        }
        return all + inner
    }

    @Test func `two managers never see the same key or salt`() async throws {
        let other = Manager("idm-demo-2", host: "other.xignin.example", time: manager.time)
        let phone = try Phone([manager, other])
        try await phone.enroll(await link())
        try await phone.enroll(await other.link())
        let first = try #require(await manager.activations.values.first)
        let second = try #require(await other.activations.values.first)
        #expect(first.deviceKey.rawRepresentation != second.deviceKey.rawRepresentation)
        #expect(first.setup?.salt != second.setup?.salt)
        #expect(first.setup?.verifier != second.setup?.verifier)
        #expect(try await phone.authenticator.enrollments().count == 2)
    }
}
