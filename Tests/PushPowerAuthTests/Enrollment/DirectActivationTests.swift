import Foundation
import PushCore
import PushPowerAuthSimulator
import PushTesting
import Testing

@testable import PushPowerAuth

/// Activations with more than a code, or without one: `docs/vendors/powerauth.md#activation`.
@Suite struct DirectActivationTests {
    let bank = Bank()
    let phone: PowerAuthHarness
    private let activator: PowerAuthActivator

    private static let password = Secret(copying: "Tr0ub4dor&3 ě")
    private static let attributes = ["user": Secret(copying: "petra"), "password": password]

    init() async throws {
        phone = try await PowerAuthHarness(of: bank)
        activator = PowerAuthActivator(phone.authenticator, provider: phone.provider)
        let known = ["user": "petra", "password": "Tr0ub4dor&3 ě"]
        await bank.configure {
            $0.directUsers = [
                .init(Bank.user, method: "login", attributes: known),
                .init(Bank.user, method: nil, attributes: known, commitPhase: .onKeyExchange),
            ]
        }
    }

    private var direct: PowerAuthActivation {
        PowerAuthActivation(method: "login", attributes: Self.attributes)
    }

    // MARK: Codes with more

    @Test func `custom attributes go with a code, and come back as the server made them`()
        async throws
    {
        let sent: JSON.Object = ["branch": 7, "promo": ["a", .null, true]]
        var activation = PowerAuthActivation(
            try await bank.simulator.invitation(for: Bank.user))
        activation.customAttributes = sent
        activation.extras = "from the spring campaign"
        activation.name = "Petra's second phone"
        let result = try await activator.activate(activation)
        #expect(result.customAttributes == sent)
        #expect(result.userInfo == nil)
        let known = try await bank.record(result.enrollment.id)
        #expect(known.extras == "from the spring campaign")
        #expect(known.deviceName == "Petra's second phone")
        guard case .pending(.comparison) = result.enrollment.state else {
            Issue.record("A code is committed by the back office.")
            return
        }
        await bank.configure { $0.customAttributes = ["welcome": true] }
        var other = PowerAuthActivation(try await bank.simulator.invitation(for: Bank.user))
        other.customAttributes = sent
        #expect(try await activator.activate(other).customAttributes == ["welcome": true])
    }

    @Test func `a scanned code must be signed here, too, and a typed one may be mistyped`()
        async throws
    {
        let code = try await bank.simulator.createActivation(for: Bank.user).code
        for invitation in [
            Invitation.scanned(text: code), .typed(text: String(code.dropLast()) + "9"),
            .typed(text: "nothing"), .credentials(user: "PowerAuth", password: Secret("{}".utf8)),
        ] {
            #expect(
                await self.code { try activator.offer(for: PowerAuthActivation(invitation)) }
                    == .invalidInvitation)
        }
        #expect(await bank.simulator.exchanges.isEmpty)
    }

    private func code<Value>(_ body: () async throws -> Value) async -> PushError.Code? {
        await PushPowerAuthTests.code(of: body)
    }

    @Test func `an OTP is asked for with a code alone`() async throws {
        let phone = try await PowerAuthHarness(of: bank) { $0.asksActivationOTP = true }
        let activator = PowerAuthActivator(phone.authenticator, provider: phone.provider)
        let asks = try activator.offer(for: direct).asks
        #expect(asks.allSatisfy { !$0.contains(.code("activation OTP")) })
        let typed = PowerAuthActivation(.typed(text: "MMMMM-MMMMM-MMMMM-MUTOA"))
        #expect(
            try activator.offer(for: typed).asks.allSatisfy { $0.contains(.code("activation OTP")) }
        )
    }

    // MARK: Without a code

    @Test(arguments: PowerAuthVersion.allCases)
    func `a user whom the bank knows is activated, and can approve`(
        _ version: PowerAuthVersion
    ) async throws {
        let phone = try await PowerAuthHarness(of: bank) { $0.version = version }
        let activator = PowerAuthActivator(phone.authenticator, provider: phone.provider)
        let pending = try await activator.activate(direct).enrollment
        #expect(pending.state != .active)
        try await bank.simulator.commit(pending.id.name)
        let custom = try await activator.activate(
            PowerAuthActivation(identityAttributes: Self.attributes)
        ).enrollment
        #expect(custom.state == .active)
        for id in [pending.id, custom.id] {
            _ = try await phone.authenticator.refresh(id)
            try await phone.validate(.pin(Customer.pin), of: id)
            #expect(
                try await phone.manager(id).fingerprint() == bank.record(id).fingerprint)
        }
        let operation = try await bank.ask()
        #expect(try await phone.approve(operation, at: custom.id) == .delivered)
    }

    @Test func `what is told of the user comes with the activation`() async throws {
        await bank.configure {
            $0.tellsUserAtActivation = true
            $0.userInfo = [Bank.user: ["sub": "petra", "name": "Petra \u{202E}Nová"]]
        }
        let result = try await activator.activate(direct)
        #expect(result.userInfo?.subject == "petra")
        #expect(result.userInfo?.name == "Petra Nová")
        #expect(result.customAttributes == nil)
    }

    @Test func `the offer is shown first, sends nothing, and enrolls like any other`() async throws
    {
        let offer = try activator.offer(for: direct)
        #expect(offer.host == "mobile.powerauth.example")
        #expect(await bank.simulator.exchanges.isEmpty)
        #expect("\(offer)".contains("Tr0ub4dor") == false)
        let enrollment = try await phone.authenticator.enroll(offer)
        #expect(try await bank.record(enrollment.id).user == Bank.user)
    }

    @Test func `no scanned or typed text makes such an activation`() async throws {
        let carried = try activator.offer(for: direct).invitation
        guard case .credentials(_, let password) = carried else {
            Issue.record("An offer carries what it was made of.")
            return
        }
        let text = password.copiedText()
        for invitation in [
            Invitation.scanned(text: text), .typed(text: text), carried,
            .credentials(user: "petra", password: Self.password),
        ] {
            let offers = try? phone.authenticator.offers(for: invitation)
            #expect(offers?.isEmpty != false)
        }
    }

    // MARK: Refusals

    @Test func `a wrong password is refused, and nothing is stored`() async throws {
        var wrong = Self.attributes
        wrong["password"] = Secret(copying: "tr0ub4dor&3 ě")
        let activation = PowerAuthActivation(method: "login", attributes: wrong)
        let error = await #expect(throws: PushError.self) {
            try await activator.activate(activation)
        }
        #expect(error?.code == .invalidInvitation)
        #expect(error?.underlying as? PowerAuthErrorCode == .activation)
        #expect(error?.reason.contains("code") == false)
        #expect(try await phone.disk.contents.isEmpty)
    }

    @Test func `what can't be sent is refused before anything is`() async throws {
        var named = direct
        for name in ["", "a\nb", String(repeating: "x", count: 129), "\u{202E}x"] {
            named.name = name
            #expect(await code { try await activator.activate(named) } == .invalidArgument)
        }
        let bad = [
            PowerAuthActivation(method: "", attributes: Self.attributes),
            PowerAuthActivation(method: "login", attributes: ["method": Secret(copying: "x")]),
            PowerAuthActivation(method: "login", attributes: ["a": Secret([0xFF])]),
            PowerAuthActivation(identityAttributes: [:]),
        ]
        for activation in bad {
            #expect(await code { try await activator.activate(activation) } == .invalidArgument)
        }
        #expect(await phone.customer.requests.isEmpty)
        #expect(await bank.simulator.exchanges.isEmpty)
    }

    @Test(arguments: [FaultPlan.Fault.dropAfter, .dropBefore, .status(503), .truncate(40)])
    func `a lost reply leaves no record, and says what to begin again`(
        _ fault: FaultPlan.Fault
    ) async throws {
        await phone.fail(.activation, fault)
        let error = await #expect(throws: PushError.self) {
            try await activator.activate(direct)
        }
        #expect(error?.isReplyLost == true || error?.code == .server(status: 503))
        #expect(error?.reason.contains("start again from the beginning") == true)
        #expect(try await phone.authenticator.enrollments().isEmpty)
        #expect(await phone.calls(.activation) <= 1)
        // The credentials aren't spent at this bank.
        _ = try await activator.activate(direct)
    }

    @Test(arguments: [PowerAuthSimulator.BadAnswer.tampered, .wrongKey])
    func `a reply that isn't the server's is refused, and nothing is stored`(
        _ fault: PowerAuthSimulator.BadAnswer
    ) async throws {
        await bank.simulator.spoil(by: fault, at: .activation)
        #expect(await code { try await activator.activate(direct) } == .untrusted)
        #expect(try await phone.authenticator.enrollments().isEmpty)
    }

    @Test func `two processes activate side by side, each its own`() async throws {
        let other = try await phone.another()
        let second = PowerAuthActivator(other.authenticator, provider: other.provider)
        async let one = activator.activate(direct)
        async let two = second.activate(direct)
        let ids = try await [one.enrollment.id, two.enrollment.id]
        #expect(Set(ids).count == 2)
        #expect(try await phone.authenticator.enrollments().count == 2)
    }

    @Test func `neither the password nor an attribute is stored or shown`() async throws {
        let result = try await activator.activate(direct)
        for text in ["Tr0ub4dor", "password", "login"] {
            #expect(try await !phone.disk.holds(Array(text.utf8)))
        }
        #expect(!"\(result) \(direct)".contains("Tr0ub4dor"))
        var shown = ""
        dump(direct, to: &shown)
        #expect(!shown.contains("Tr0ub4dor"))
    }

    // MARK: Recovery codes

    @Test(arguments: ["R:", "r:"])
    func `a recovery code is refused with a word that says what it is`(
        _ mark: String
    ) async throws {
        let text = "\(mark)W65WE-3T7VI-7FBS2-A4OYA"
        for invitation in [
            Invitation.scanned(text: text), .typed(text: text), .scanned(text: text + "#AAAA"),
        ] {
            let error = #expect(throws: PushError.self) {
                try phone.authenticator.offers(for: invitation)
            }
            #expect(error?.code == .invalidInvitation)
            #expect((error?.underlying as? PushError)?.code == .unsupported)
            #expect(error?.reason.contains("recovery code") == true)
        }
        #expect(await bank.simulator.exchanges.isEmpty)
    }
}
