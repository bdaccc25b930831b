import Foundation
import HTTPTypes
import IndependentEncodings
import PushCore
import PushTesting
import PushXignIn
import Testing

/// What needs the finger where a guard has the secret of biometry:
/// `docs/vendors/xignin.md#what-a-guard-can-seal`.
@Suite struct GuardTests {
    private let keyGuard = ScriptedGuard()
    private let harness: XignInHarness

    init() async throws {
        harness = try await XignInHarness(keyGuard: keyGuard)
    }

    private var phone: Phone { harness.phone }
    private var manager: Manager { harness.manager }

    /// What asks the manager, and is no yes.
    enum Call: CaseIterable {
        case open, deny, denyUnopened, token, refresh, remove
    }

    private func make(_ call: Call, about pid: String) async throws {
        let (authenticator, id) = (phone.authenticator, phone.id(pid))
        switch call {
        case .open: _ = try await authenticator.challenge(id)
        case .deny:
            let challenge = try await authenticator.challenge(id)
            let outcome = try await authenticator.resolve(challenge, with: .deny(.unexpected))
            #expect(outcome == .delivered)
        case .denyUnopened: #expect(try await authenticator.deny(id) == .delivered)
        case .token:
            #expect(try await authenticator.deviceTokenChanged(.fcm("another")).isEmpty)
        case .refresh:
            #expect(try await authenticator.refresh(phone.enrollmentID()).state == .active)
        case .remove: try await authenticator.remove(phone.enrollmentID())
        }
    }

    private func wantBiometryAlone() async {
        await manager.plan { $0.roles = [XignInHarness.role("user", [["biometric", "device"]])] }
    }

    private var asked: Int { get async { await keyGuard.requests.count } }

    /// The factors of the last answer.
    private func factors() async throws -> [String] {
        let finish = try #require(await manager.requests(.finish).last)
        return (finish["factors"]?.array ?? []).compactMap { $0["type"]?.string }
    }

    // MARK: What asks

    @Test(arguments: Call.allCases)
    func `nothing but a yes needs what the guard has`(call: Call) async throws {
        await keyGuard.refuse(with: .guardLost)
        let typed = await phone.keypad.requests.count
        let pid = try await harness.begin()
        try await make(call, about: pid)
        #expect(await asked == 0)
        #expect(await phone.keypad.requests.count == typed)
        #expect(await manager.complaints.isEmpty)
    }

    @Test func `a yes opens the guard once, and nobody is asked for the PIN`() async throws {
        let typed = await phone.keypad.requests.count
        let pid = try await harness.begin()
        #expect(try await harness.approve(pid) == .delivered)
        #expect(try await factors() == ["biometric"])
        #expect(await asked == 1)
        #expect(await phone.keypad.requests.count == typed)
        #expect(await manager.complaints.isEmpty)
    }

    @Test(arguments: [PushError.Code.locked, .verificationFailed, .guardLost])
    func `where the guard stays shut the PIN is asked for, if the manager takes it`(
        code: PushError.Code
    ) async throws {
        await keyGuard.refuse(with: code)
        let pid = try await harness.begin()
        #expect(try await harness.approve(pid) == .delivered)
        #expect(try await factors() == ["pin"])
        #expect(await phone.keypad.requests.last?.alternatives == [[.pin]])
        await wantBiometryAlone()
        let other = try await harness.begin()
        #expect(try await refusal { try await harness.approve(other) }.code == code)
        #expect(try await phone.state(other) == .open)
        #expect(await manager.decisions(other).isEmpty)
        await keyGuard.refuse(with: nil)
        #expect(try await harness.approve(other) == .delivered)
        #expect(try await factors() == ["biometric"])
    }

    @Test func `a user who gives up before the finger isn't asked for the PIN`() async throws {
        await keyGuard.refuse(with: .cancelled)
        let typed = await phone.keypad.requests.count
        let pid = try await harness.begin()
        #expect(try await refusal { try await harness.approve(pid) }.code == .cancelled)
        #expect(await phone.keypad.requests.count == typed)
        #expect(await manager.requests(.finish).isEmpty)
    }

    @Test func `a wrong PIN beside the finger counts, and leaves what the guard has`() async throws
    {
        await manager.plan {
            $0.roles = [XignInHarness.role("user", [["biometric", "pin", "device"]])]
        }
        let secrets = try await keyGuard.secrets
        let pid = try await harness.begin()
        await phone.keypad.type(WorkedExample.wrongPIN)
        #expect(try await harness.approve(pid) != .delivered)
        await phone.keypad.type(WorkedExample.pin)
        #expect(try await harness.approve(pid) == .delivered)
        #expect(try await keyGuard.secrets == secrets)
        #expect(await asked == 2)
    }

    @Test func `the policy changes by one question, and the guard stays as long as the key`()
        async throws
    {
        let id = phone.enrollmentID()
        #expect(try await phone.authenticator.setGuard(.deviceOwner, of: id).guardPolicy != nil)
        #expect(try await phone.authenticator.enrollment(id)?.guardPolicy == .deviceOwner)
        #expect(await asked == 1)
        #expect(await keyGuard.parts.count == 1)
        #expect(
            try await refusal { try await phone.authenticator.setGuard(nil, of: id) }.code
                == .unsupported)
        let pid = try await harness.begin()
        #expect(try await harness.approve(pid) == .delivered)
        #expect(try await factors() == ["biometric"])
        try await phone.authenticator.remove(id)
        #expect(await keyGuard.parts.isEmpty)
    }

    // MARK: Enrolling

    @Test(arguments: [true, false])
    func `the first record that is written is sealed already, and a lost reply changes no secret`(
        scansAgain: Bool
    ) async throws {
        let joining = try Joining()
        let keyGuard = ScriptedGuard()
        var kind = Phone.Kind()
        kind.keyGuard = keyGuard
        let phone = try Phone([joining.manager], kind: kind)
        let link = await joining.manager.link(secret: joining.secret)
        await phone.faults.next(.dropAfter, where: { $0.method == .post })
        let pending = try await phone.enroll(link)
        #expect(pending.state == .pending(.unconfirmed))
        #expect(pending.guardPolicy == .currentBiometry)
        let secrets = try await keyGuard.secrets
        #expect(secrets.count == 1)
        let active =
            scansAgain
            ? try await phone.enroll(link, token: nil)
            : try await phone.authenticator.refresh(pending.id)
        #expect(active.state == .active && active.guardPolicy == .currentBiometry)
        #expect(try await keyGuard.secrets == secrets)
        #expect(await keyGuard.requests.isEmpty)
        for secret in secrets { #expect(await !phone.store.everHeld(secret)) }
        let pid = await joining.manager.begin()
        try await phone.deliver()
        #expect(try await phone.approve(pid) == .delivered)
        #expect(await joining.manager.requests(.finish).last?["factors"]?.array?.count == 1)
        #expect(await joining.manager.complaints.isEmpty)
    }

    // MARK: The store

    @Test func `the store has no form of the secret or its key, and signs no yes with biometry`()
        async throws
    {
        await wantBiometryAlone()
        let pid = try await harness.begin()
        #expect(try await harness.approve(pid) == .delivered)
        let secret = try #require(await keyGuard.secrets.first)
        let activation = try #require(await manager.activations[WorkedExample.activation])
        let number = hmac(secret, "OXRW1-BIO\n\(activation.deviceKey.thumbprint)")
        for bytes in [secret, number] { #expect(await !phone.store.everHeld(bytes)) }
        // A thief has the store, and a guard that keeps nothing.
        var kind = Phone.Kind()
        kind.keyGuard = ScriptedGuard()
        let thief = try Phone(
            [manager], store: phone.store, clock: phone.clock,
            keypad: Keypad(prefersBiometry: true), kind: kind)
        let other = await manager.begin()
        try await thief.deliver()
        let finished = await manager.requests(.finish).count
        #expect(try await refusal { try await thief.approve(other) }.code == .guardLost)
        #expect(await manager.requests(.finish).count == finished)
        #expect(await manager.decisions(other).isEmpty)
    }

    @Test func `another secret than the activation was made with signs nothing`() async throws {
        let phone = try Joining().phone
        let user = ScriptedVerifier { request in
            if case .join = request.purpose {
                return [
                    .pin(Secret(copying: "1234")), .biometry(Secret(repeatElement(7, count: 32))),
                ]
            }
            return [.biometry(Secret(repeatElement(9, count: 32)))]
        }
        // The app keeps the secret itself.
        let app = try App(over: phone.transport, user: user, clock: phone.clock)
        try await app.authenticator.deviceTokenChanged(.fcm(WorkedExample.token))
        try await app.enroll(.scanned(text: await phone.manager.link()))
        await phone.manager.begin()
        let push = try #require(await phone.manager.take().first)
        let challenge = try await app.authenticator.challenge(
            #require(try await app.authenticator.receive(PushMessage(fcm: push)).first?.challenge))
        let error = try await refusal {
            try await app.authenticator.resolve(challenge, with: .approve)
        }
        #expect(error.code == .guardLost)
        #expect(await phone.manager.requests(.finish).isEmpty)
    }
}
