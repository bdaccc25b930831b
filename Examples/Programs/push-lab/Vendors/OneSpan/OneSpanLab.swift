import Foundation
import LocalServer
import PushCore
import PushOneSpan
import PushOneSpanReference
import PushOneSpanSimulator
import PushTesting

/// OneSpan: a customer's server over HTTPS with the platform behind it, and two devices of one user.
/// Commands have the open reference format OOC/1.
struct OneSpanLab: VendorLab {
    static let vendor = "onespan"

    let name = Self.vendor
    private let site: LabSite
    private let user = PINUser()
    private let clock = LabClock()
    let phone: Station<OneSpanSimulator>
    private let tablet: Station<OneSpanSimulator>

    init(log: ExchangeLog) async throws {
        site = try LabSite(log: log)
        do {
            let simulator = OneSpanSimulator(.init(clock: clock))
            await simulator.configure { $0.confirmMethod = .password }
            let host = try await Host(simulator, speaking: .secure(site.identity))
            let server = try await Server(simulator)
            phone = try await Station(
                simulator, at: host, device: Self.device("phone", server, user, clock, at: site))
            tablet = try await Station(
                simulator, at: host, device: Self.device("tablet", server, user, clock, at: site))
        } catch {
            site.remove()
            throw error
        }
    }

    private static func device(
        _ name: String, _ server: Server, _ user: PINUser, _ clock: LabClock, at site: LabSite
    ) async throws -> LabDevice {
        let device = try await site.device(name, verifier: user, clock: clock) {
            [server.plugin(in: $0)]
        }
        try await device.authenticator.deviceTokenChanged(.fcm("push-lab-\(name)"))
        return device
    }

    func close() async {
        await phone.close()
        site.remove()
    }

    var flows: [DemoFlow] { activating + registering + answering + refusing + lasting }

    // MARK: Flows

    private var activating: [DemoFlow] {
        [
            DemoFlow(
                "wrong activation password", expecting: "refused here; refused there", run: mistype),
            DemoFlow(
                "activate, and register for notifications",
                expecting: "active, 5 round trips, identifier registered"
            ) {
                let before = await phone.host.requestCount
                let enrollment = try await phone.enroll("jane")
                let trips = await phone.host.requestCount - before
                let device = await phone.simulator.devices(of: "jane").first
                let isRegistered = device?.notificationIdentifier != nil
                return "\(enrollment.state), \(trips) round trips, "
                    + "identifier \(isRegistered ? "registered" : "missing")"
            },
        ]
    }

    private var registering: [DemoFlow] {
        [
            DemoFlow("same identifier at the next start", expecting: "no traffic") {
                let before = await phone.host.requestCount
                try await phone.authenticator.deviceTokenChanged(.fcm("push-lab-phone"))
                return await phone.host.requestCount == before ? "no traffic" : "traffic"
            },
            DemoFlow("identifier changed", expecting: "registered again, the platform has it") {
                let failures = try await phone.authenticator.deviceTokenChanged(.fcm("new-phone"))
                let told = await phone.simulator.devices(of: "jane").first?.deviceToken
                return failures.isEmpty && told == .fcm("new-phone")
                    ? "registered again, the platform has it" : "\(failures)"
            },
        ]
    }

    private var answering: [DemoFlow] {
        [
            DemoFlow("login push, display, approve", expecting: "shown; taken, logged in") {
                let login = try await phone.simulator.startLogin(of: "jane", asking: .confirm)
                let challenge = try await phone.receiveChallenge()
                let isShown = challenge.fields.contains { $0.value == "Sign in to Example Bank" }
                let said = try await phone.answer(challenge, .approve, login)
                return "\(isShown ? "shown" : "not shown"); \(said)"
            },
            DemoFlow("login push, rejected", expecting: "taken, login denied") {
                try await phone.answer("jane", .confirm) { _, _ in .deny(.unexpected) }
            },
            DemoFlow(
                "wrong PIN three times",
                expecting: "may retry, may retry, not taken; login failed", run: guess),
            DemoFlow(
                "transaction with fields, what was shown is what is signed",
                expecting: "Amount 100.00 EUR, To DE89370400440532013000; taken, logged in; "
                    + "another payee, another digest in the answer",
                run: sign),
            DemoFlow(
                "session expired while deciding", expecting: "over, login expired"
            ) {
                let login = try await phone.simulator.startLogin(of: "jane", asking: .confirm)
                let challenge = try await phone.receiveChallenge()
                let lifetime = await phone.simulator.configuration.sessionTimeout
                clock.advance(by: lifetime + .seconds(1))
                let answered = await Result { () async throws(PushError) in
                    try await phone.authenticator.resolve(challenge, with: .deny(.unexpected))
                }
                let status = try await phone.status(of: login)
                return "\(answered.refusal), \(status)"
            },
        ]
    }

    private var lasting: [DemoFlow] {
        [
            DemoFlow(
                "answer accepted, reply lost", expecting: "unknown; taken after resume, logged in"
            ) {
                let login = try await phone.simulator.startLogin(of: "jane", asking: .confirm)
                let challenge = try await phone.receiveChallenge()
                await phone.host.loseNextReply()
                let lost = try await phone.authenticator.resolve(challenge, with: .approve)
                let found = try await phone.authenticator.resume()[challenge.id]
                let status = try await phone.status(of: login)
                return "\(lost.words); \(found?.words ?? "nothing sent") after resume, \(status)"
            },
            DemoFlow(
                "answered on another device", expecting: "taken; answered elsewhere, logged in",
                run: answerElsewhere),
            DemoFlow(
                "server error inside an HTTP error body",
                expecting: "the app hears of it, needs activation", run: hearError),
        ]
    }

    // MARK: Steps

    private func mistype() async throws -> String {
        var words: [String] = []
        // The first has a typing error, the second is well formed and not the one that was issued.
        for password in ["AAAAAAAB", "K7M2Q9XD"] {
            _ = try await phone.simulator.invitation(for: "jane")
            let attempt = await Result { () async throws(PushError) in
                let offers = try phone.authenticator.offers(
                    for: .credentials(user: "jane", password: Secret(Array(password.utf8))))
                guard let offer = offers.first else {
                    throw PushError(.invalidInvitation, "No offer.")
                }
                return try await phone.authenticator.enroll(offer)
            }
            words.append(attempt.refusal == "not refused" ? "accepted" : "refused")
        }
        return "\(words[0]) here; \(words[1]) there"
    }

    private func guess() async throws -> String {
        let login = try await phone.simulator.startLogin(of: "jane", asking: .confirm)
        let challenge = try await phone.receiveChallenge()
        await user.type("0000")
        var words: [String] = []
        for _ in 0..<3 {
            words.append(try await phone.authenticator.resolve(challenge, with: .approve).words)
        }
        await user.type(PINUser.right)
        return try await "\(words.joined(separator: ", ")); \(phone.status(of: login))"
    }

    private func sign() async throws -> String {
        let (shown, said, digest) = try await sign(payee: "DE89370400440532013000")
        let (_, _, other) = try await sign(payee: "DE02120300000000202051")
        let isBound = digest != nil && other != nil && digest != other
        return "\(shown); \(said); "
            + (isBound ? "another payee, another digest in the answer" : "the same digest")
    }

    private func sign(
        payee: String
    ) async throws -> (shown: String, said: String, digest: Data?) {
        let login = try await phone.simulator.startTransaction(
            of: "jane", fields: [.init("Amount", "100.00 EUR"), .init("To", payee)])
        let challenge = try await phone.receiveChallenge()
        let shown = challenge.fields.map { "\($0.label) \($0.value)" }.joined(separator: ", ")
        let said = try await phone.answer(challenge, .approve, login)
        let session = await phone.simulator.session(login.id)
        return (shown, said, session?.decision?.displayDigest)
    }

    private func answerElsewhere() async throws -> String {
        _ = try await tablet.enroll("jane")
        let login = try await phone.simulator.startLogin(of: "jane", asking: .confirm)
        var opened: [Challenge] = []
        let pushes = await phone.simulator.takePushes()
        for station in [phone, tablet] {
            for push in pushes {
                // The other device's trigger is none of this one's.
                let received = await Result { () async throws(PushError) in
                    try await station.authenticator.receive(push.message())
                }
                guard let id = try? received.get().first?.challenge else { continue }
                opened.append(try await station.authenticator.challenge(id))
            }
        }
        guard opened.count == 2 else { return "\(opened.count) asked" }
        let first = try await tablet.authenticator.resolve(opened[1], with: .approve)
        let second = try await phone.answer(opened[0], .approve, login)
        return "\(first.words); \(second)"
    }

    private func hearError() async throws -> String {
        await phone.simulator.removeDevices(of: "jane")
        _ = try? await phone.authenticator.deviceTokenChanged(.fcm("newest-phone"))
        let enrollment = try await phone.authenticator.enrollments().first
        return enrollment?.state == .needsReenrollment
            ? "the app hears of it, needs activation" : "\(enrollment?.state, default: "none")"
    }
}

/// What a device must know of the customer's server.
private struct Server: Sendable {
    private let endpoint: Endpoint
    private let engine: OpenReferenceEngine.Configuration

    init(_ simulator: OneSpanSimulator) async throws {
        endpoint = try await Endpoint(simulator.commandURL)
        // A demo shouldn't wait for the stretching of its PINs.
        engine = try await OpenReferenceEngine.Configuration(
            domain: simulator.configuration.domain, serverKeys: simulator.serverKeys,
            pbkdf2Iterations: 10_000)
    }

    func plugin(in environment: PushEnvironment) -> OneSpan {
        OneSpan(
            engine: OpenReferenceEngine(engine, in: environment),
            relay: HTTPCommandRelay(endpoint, in: environment),
            configuration: .init(identifiers: OpenNotificationIdentifiers()), in: environment)
    }
}
