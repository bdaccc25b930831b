import Foundation
import PushCore
import PushOneSpan
import PushOneSpanSimulator
import PushTesting
import Testing

/// The activation password: what is caught on the device, and what only the server can tell.
@Suite(.timeLimit(.minutes(10))) struct ActivationPasswordTests {
    private static let alphabet = Array("23456789ABCDEFGHJKLMNPQRSTUVWXYZ")

    /// Another password whose check character is right:
    /// `docs/vendors/onespan-ooc.md#the-activation-password`.
    private static func other(than password: String) -> String {
        let weights = [1, 3, 5, 7, 9, 11, 13]
        var indices = password.prefix(7).map { alphabet.firstIndex(of: $0) ?? 0 }
        indices[0] = (indices[0] + 1) % 32
        let sum = zip(weights, indices).reduce(0) { $0 + $1.0 * $1.1 }
        return String((indices + [sum % 32]).map { alphabet[$0] })
    }

    @Test func `the worked example's password has its check character`() {
        #expect(Self.other(than: "J7M2Q9X2") == "K7M2Q9XD")
    }

    @Test(arguments: [
        ("", "ACTIVATION_PASSWORD_NULL_OR_EMPTY"), ("   ", "ACTIVATION_PASSWORD_NULL_OR_EMPTY"),
        ("K7M2Q9X", "ACTIVATION_PASSWORD_WRONG_LENGTH"),
        ("K7M2Q9XDD", "ACTIVATION_PASSWORD_WRONG_LENGTH"),
        ("K7M2Q9XE", "ACTIVATION_PASSWORD_WRONG_CHECKSUM"),
        ("K7M2Q9YD", "ACTIVATION_PASSWORD_WRONG_CHECKSUM"),
    ])
    func `a typing error is found on the device`(typed: String, name: String) async throws {
        let handset = try await OneSpanHarness(Site())
        let error = try await refusal { try await handset.join(password: typed) }
        #expect(error.code == .invalidInvitation)
        guard case .input(let problem) = error.oneSpan else {
            Issue.record("Not an input error: \(error)")
            return
        }
        #expect(problem.rawValue == name)
        #expect(await handset.site.server.types.isEmpty)
        #expect(await handset.user.requests.isEmpty)
        #expect(try await handset.authenticator.enrollments().isEmpty)
    }

    @Test(arguments: ["", String(repeating: "a", count: 256), "a\u{0}b"])
    func `a user identifier that can't be sent is refused`(name: String) async throws {
        let handset = try await OneSpanHarness(Site())
        let error = try await refusal {
            try await handset.join(name, password: "K7M2Q9XD")
        }
        #expect(error.code == .invalidInvitation)
        #expect(await handset.site.server.types.isEmpty)
    }

    @Test func `case, blanks and hyphens don't matter`() async throws {
        let handset = try await OneSpanHarness(Site())
        let password = try await handset.site.password().lowercased()
        let typed = " " + password.prefix(4) + "-" + password.dropFirst(4) + " "
        try await handset.join(password: typed)
        #expect(try await handset.state == .active)
    }

    @Test func `a wrong password says how many attempts are left, and three make it void`()
        async throws
    {
        let site = Site()
        let handset = try await OneSpanHarness(site)
        let password = try await site.password()
        for left in [2, 1, 0] {
            let error = try await refusal {
                try await handset.join(password: Self.other(than: password))
            }
            #expect(error.oneSpan == .provisioning(-1201, attemptsLeft: left))
            #expect(try await handset.authenticator.enrollments().isEmpty)
            #expect(await handset.store.credentials == 0)
        }
        let error = try await refusal { try await handset.join(password: password) }
        #expect(error.oneSpan == .provisioning(-1200, attemptsLeft: nil))
        try await handset.join()
        #expect(try await handset.state == .active)
    }

    @Test func `a wrong password doesn't spoil the right one after it`() async throws {
        let site = Site()
        let handset = try await OneSpanHarness(site)
        let password = try await site.password()
        _ = try? await handset.join(password: Self.other(than: password))
        try await handset.join(password: password)
        #expect(try await handset.state == .active)
    }

    @Test func `an expired password is refused by the server`() async throws {
        let site = Site()
        let handset = try await OneSpanHarness(site)
        let password = try await site.password()
        handset.pass(.seconds(601))
        let error = try await refusal { try await handset.join(password: password) }
        guard case .provisioning(let code, _) = error.oneSpan else {
            Issue.record("Not a provisioning error: \(error)")
            return
        }
        #expect([-1200, -1202].contains(code))
        #expect(error.code == .invalidInvitation)
        #expect(try await handset.authenticator.enrollments().isEmpty)
    }

    @Test func `an unknown user gets an error that is proved`() async throws {
        let handset = try await OneSpanHarness(Site())
        let error = try await refusal {
            try await handset.join("nobody", password: "K7M2Q9XD")
        }
        #expect(error.oneSpan == .provisioning(-1200, attemptsLeft: nil))
        #expect(await handset.site.server.types == [0x01])
    }

    @Test func `a used password is void`() async throws {
        let site = Site()
        let password = try await site.password()
        try await OneSpanHarness(site).join(password: password)
        let second = try await OneSpanHarness(site, token: "token-b")
        let error = try await refusal { try await second.join(password: password) }
        #expect(error.code == .invalidInvitation)
        #expect(await site.tenant.devices(of: Sample.user).count == 1)
    }

    @Test func `a corrupted proof counts once, and the true one is still taken`() async throws {
        let site = Site()
        var setup = OneSpanHarness.Setup()
        setup.tries = 3
        let handset = try await OneSpanHarness(site, setup: setup)
        let password = try await site.password()
        await site.server.next(.turn(bit: 52 * 8 + 3), at: 0x03)
        try await handset.join(password: password)
        #expect(try await handset.state == .active)
        let proofs = await site.server.commands(0x03)
        #expect(proofs.count == 2)
        #expect(Set(proofs).count == 1)
    }

    @Test func `two corrupted copies of one proof count once`() async throws {
        let site = Site()
        let handset = try await OneSpanHarness(site)
        let password = try await site.password()
        await site.server.next(.turn(bit: 52 * 8 + 3), at: 0x03)
        _ = try? await handset.join(password: password)
        let proof = try #require(await site.server.commands(0x03).first)
        _ = try await site.server.post(proof.turned(bit: 52 * 8 + 3))
        let error = try await refusal {
            try await handset.join(password: Self.other(than: password))
        }
        #expect(error.oneSpan == .provisioning(-1201, attemptsLeft: 1))
        try await handset.join(password: password)
        #expect(try await handset.state == .active)
    }

    @Test(arguments: [UInt8(0x03), 0x05])
    func `the password's time runs by the monotonic clock while a reply is awaited`(
        type: UInt8
    ) async throws {
        let handset = try await OneSpanHarness(Site())
        let gate = Gate(letsCancelledPass: true)
        await handset.site.server.next(.holdReply(gate), at: type)
        let watch = Watch()
        watch.run { try await handset.join() }
        await gate.arrival()
        handset.clock.set(.distantFuture)
        await handset.outwait(.seconds(601))
        #expect(await watch.settles())
        await gate.open()
        await watch.end()
        let expected: [OneSpanError?] = [
            .provisioning(-1202, attemptsLeft: nil), .activationExpired, .noReply,
        ]
        let error = await watch.error
        #expect(expected.contains(error?.oneSpan), "\(String(describing: error))")
        #expect(try await handset.authenticator.enrollments().isEmpty)
        #expect(await handset.store.credentials == 0)
    }

    @Test func `the first reply is waited for two minutes`() async throws {
        let handset = try await OneSpanHarness(Site())
        let gate = Gate(letsCancelledPass: true)
        await handset.site.server.next(.hold(gate), at: 0x01)
        let watch = Watch()
        watch.run { try await handset.join() }
        await gate.arrival()
        await handset.outwait(.seconds(121))
        #expect(await watch.settles())
        await gate.open()
        await watch.end()
        #expect(await handset.site.server.types == [0x01])
        #expect(try await handset.authenticator.enrollments().isEmpty)
    }

    @Test func `activating a user twice on a device is refused, and changes nothing`()
        async throws
    {
        let handset = try await OneSpanHarness.joined()
        let error = try await refusal { try await handset.join() }
        #expect(error.code == .alreadyEnrolled)
        #expect(await handset.site.server.types.isEmpty)
        #expect(try await handset.authenticator.enrollments().count == 1)
        let request = try await handset.site.pinLogin()
        #expect(try await handset.approve(request) == .delivered)
    }

    @Test func `a second activation of a user meanwhile is refused`() async throws {
        let handset = try await OneSpanHarness(Site())
        let password = try await handset.site.password()
        let gate = Gate(letsCancelledPass: true)
        await handset.site.server.next(.hold(gate), at: 0x03)
        async let joining = handset.join(password: password)
        await gate.arrival()
        let second = Task { try await handset.join(password: password, token: false) }
        await handset.user.untilAsked(times: 2)
        await gate.open()
        #expect(try await joining.state == .active)
        let error = try await refusal { _ = try await second.value }
        #expect(error.code == .conflict || error.code == .alreadyEnrolled)
        #expect(await handset.site.server.commands(0x01).count == 1)
        #expect(try await handset.authenticator.enrollments().count == 1)
    }
}
