import Foundation
import PushCore
import PushPowerAuth
import PushPowerAuthSimulator
import PushTesting

/// What the article "Enroll with PowerAuth" tells, against the simulator in this process.
@main
struct EnrollWithPowerAuth {
    static func main() async {
        guard CommandLine.arguments.count == 1 else {
            fail("usage: enroll-with-powerauth", 64)
        }
        do {
            try await run()
        } catch {
            fail("enroll-with-powerauth: \(error)", 1)
        }
    }

    private static func run() async throws {
        let bank = PowerAuthSimulator()
        let customer = Customer(pins: ["2468", "1357", "2468"])
        let authenticator = try await authenticator(
            at: bank, verifier: PINPad { await customer.answer($0) })
        let token = String(repeating: "0A", count: 32)
        try await authenticator.deviceTokenChanged(.apns(hex: token, isSandbox: true))

        let code = try await bank.invitation(for: "jane").scannedText ?? ""
        let enrollment = try await enroll(authenticator, code)
        try await bank.commit(enrollment.id.name)
        try await confirm(authenticator, enrollment.id)

        let login = try await bank.startLogin(of: "jane", asking: .confirm)
        for push in await bank.takePushes() {
            try await answer(authenticator, push.payload)
        }
        print("The bank says: \(try await bank.status(of: login.id)).")
    }

    private static func authenticator(
        at bank: PowerAuthSimulator, verifier: some UserVerifier
    ) async throws -> PushAuthenticator {
        let sdkConfiguration = await bank.sdkConfiguration
        let address = await bank.origin
        let transport = SimulatedTransport(to: bank)
        let store = InMemoryStore()
        // snippet: setup
        let configuration = try PowerAuthConfiguration(
            sdkConfiguration: sdkConfiguration, enrollmentServer: Endpoint(address))
        let environment = PushEnvironment(
            transport: transport, store: store, verifier: verifier,
            device: Device(name: "Jane's phone"))
        let provider = PowerAuth(configuration: configuration, in: environment)
        let authenticator = PushAuthenticator(try PluginRegistry([provider]), in: environment)
        // end snippet
        return authenticator
    }

    private static func enroll(
        _ authenticator: PushAuthenticator, _ code: String
    ) async throws -> Enrollment {
        // snippet: enroll
        guard let offer = try authenticator.offers(for: .scanned(text: code)).first else {
            throw PushError(.invalidInvitation, "This is no activation code.")
        }
        print("Join \(offer.host ?? "")?")
        let enrollment = try await authenticator.enroll(offer)
        if case .pending(.comparison(let digits)) = enrollment.state {
            print("Compare with your bank: \(digits)")
        }
        // end snippet
        return enrollment
    }

    private static func confirm(
        _ authenticator: PushAuthenticator, _ id: Enrollment.ID
    ) async throws {
        // snippet: confirm
        switch try await authenticator.refresh(id).state {
        case .pending: print("Your bank hasn't confirmed it yet.")
        case .active:
            // Now the server takes the device token.
            try await authenticator.resume()
            print("Ready.")
        case .blocked(let why): print("Blocked: \(why)")
        case .needsReenrollment, .movedAway: print("Ask your bank for a new code.")
        @unknown default: print("Update this app.")
        }
        // end snippet
    }

    private static func answer(
        _ authenticator: PushAuthenticator, _ payload: Data
    ) async throws {
        // snippet: answer
        let push = try PushMessage(json: payload)
        for case .notice(let notice, _) in try await authenticator.receive(push).map(\.kind) {
            let challenge = try await authenticator.challenge(notice.id)
            for field in challenge.shown { print(field) }
            var outcome = try await authenticator.resolve(challenge, with: .approve)
            while case .notTaken(let refusal) = outcome, refusal.reason == .verification,
                refusal.mayRetry, refusal.attemptsLeft != 0
            {
                print("Wrong PIN, \(refusal.attemptsLeft ?? 0) attempts left.")
                outcome = try await authenticator.resolve(challenge, with: .approve)
            }
            print("The answer: \(outcome).")
        }
        // end snippet
    }

    private static func fail(_ text: String, _ status: Int32) -> Never {
        FileHandle.standardError.write(Data((text + "\n").utf8))
        exit(status)
    }
}

/// A user who types these PINs, one after the other.
private actor Customer {
    private var pins: [String]

    init(pins: [String]) {
        self.pins = pins
    }

    func answer(_ question: String) -> String {
        print(question)
        return pins.isEmpty ? "" : pins.removeFirst()
    }
}
