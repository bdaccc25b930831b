import Foundation
import LocalServer
import PushCore
import PushPlatform
import PushPowerAuth
import PushPowerAuthSimulator
import PushTesting

/// PowerAuth: an enrollment server over HTTPS, and one device of one user.
struct PowerAuthLab: VendorLab {
    static let vendor = "powerauth"

    let name = Self.vendor
    private let site: LabSite
    let user = FingerUser()
    let phone: Station<PowerAuthSimulator>
    let application: String
    private let joining: PowerAuthJoining

    init(log: ExchangeLog) async throws {
        site = try LabSite(log: log)
        do {
            let simulator = PowerAuthSimulator()
            await simulator.configure { $0.resources = PowerAuthBank.resources }
            let host = try await Host(simulator, speaking: .secure(site.identity))
            let (application, server) = await (simulator.sdkConfiguration, simulator.origin)
            self.application = application
            let configuration = try Self.configuration(application, at: server)
            let device = try await site.device("phone", verifier: user) {
                [PowerAuth(configuration: configuration, in: $0)]
            }
            try await device.authenticator.deviceTokenChanged(.fcm("push-lab-phone"))
            phone = Station(simulator, at: host, device: device)
            joining = try await PowerAuthJoining(
                simulator, at: host,
                on: try await site.device("second", verifier: user) {
                    [PowerAuth(configuration: configuration, in: $0)]
                }, configuration)
        } catch {
            site.remove()
            throw error
        }
    }

    /// What an app is built with.
    static func configuration(
        _ application: String, at server: String
    ) throws(PushError) -> PowerAuthConfiguration {
        var configuration = try PowerAuthConfiguration(
            sdkConfiguration: application, enrollmentServer: try Endpoint(server))
        // A demo shouldn't wait for the stretching of its PINs.
        configuration.pinIterations = 10_000
        return configuration
    }

    func close() async {
        await phone.close()
        site.remove()
    }

    var flows: [DemoFlow] {
        activating + answering + withdrawing + besides + PowerAuthBank(lab: self).flows
            + joining.flows + blocking + lasting
    }

    // MARK: Flows

    private var activating: [DemoFlow] {
        [
            DemoFlow("forged activation code", expecting: "invalidInvitation, nothing sent") {
                let one = try await phone.simulator.createActivation(for: "jane")
                let other = try await phone.simulator.createActivation(for: "jane")
                let forged = one.code + other.text.dropFirst(other.code.count)
                let before = await phone.host.requestCount
                let refusal = await enroll(.scanned(text: forged)).refusal
                let sent = await phone.host.requestCount == before
                return "\(refusal), \(sent ? "nothing sent" : "something sent")"
            },
            DemoFlow(
                "activate by signed code, compare, commit",
                expecting: "same fingerprint on both sides; active after commit", run: activate),
            DemoFlow("register for pushes", expecting: "the push server has the token") {
                let record = await phone.simulator.activations(of: "jane").last
                return record?.deviceToken == .fcm("push-lab-phone")
                    ? "the push server has the token" : "no token"
            },
        ]
    }

    private var answering: [DemoFlow] {
        [
            DemoFlow(
                "push, fetch, approve with PIN",
                expecting:
                    "Amount 100 CZK (100.00 CZK), nothing of it in the push; taken, logged in",
                run: pay),
            DemoFlow("rejected with a reason", expecting: "taken, login denied, INCORRECT_DATA") {
                let login = try await phone.simulator.startLogin(of: "jane", asking: .confirm)
                let challenge = try await receiveChallenge()
                let said = try await phone.answer(
                    challenge, .deny(PowerAuthRejectionReason.incorrectData.denyReason), login)
                let reason = try await phone.simulator.operation(login.id).reason
                return "\(said), \(reason ?? "no reason")"
            },
            DemoFlow("approved by biometry", expecting: "taken, logged in") {
                await user.touch()
                let login = try await phone.simulator.startLogin(of: "jane", asking: .biometry)
                let said = try await phone.answer(receiveChallenge(), .approve, login)
                await user.type(FingerUser.right)
                return said
            },
        ]
    }

    private var withdrawing: [DemoFlow] {
        [
            DemoFlow("expired while it waited", expecting: "asked; then expired") {
                try await end { try await phone.simulator.expireOperation($0) }
            },
            DemoFlow("cancelled by the bank", expecting: "asked; then cancelled") {
                try await end { try await phone.simulator.cancelOperation($0) }
            },
            DemoFlow(
                "cancelled by the bank, and every push about it lost",
                expecting: "open; pending(): cancelled; none open", run: missFromList),
            DemoFlow("list without any push", expecting: "found; taken, logged in") {
                let login = try await phone.simulator.startLogin(
                    of: "jane", asking: .confirm, spoiledBy: .lost)
                guard try await phone.receive().isEmpty,
                    let id = try await phone.authenticator.pending().found.first?.challenge
                else { return "not found" }
                let challenge = try await phone.authenticator.challenge(id)
                return "found; \(try await phone.answer(challenge, .approve, login))"
            },
            DemoFlow("another's activation in a push", expecting: Self.refused) {
                _ = try await phone.receive()
                return try await phone.refuse {
                    try await phone.simulator.startLogin(
                        of: "jane", asking: .confirm,
                        spoiledBy: .replaced(extra: "activationId", value: "somebody-else"))
                }
            },
        ]
    }

    private static let refused = "unknownEnrollment, nothing kept, still waiting"

    private var besides: [DemoFlow] {
        [
            DemoFlow("inbox", expecting: "announced, unread; read", run: readInbox),
            DemoFlow(
                "offline QR code, approved without a network",
                expecting: "verified; the code is right", run: approveOffline),
            DemoFlow("offline QR code, changed", expecting: "untrusted") {
                let code = try await offlineCode().text.replacing("A100CZK", with: "A900CZK")
                return await Result { () async throws(PushError) in
                    try await phone.authenticator.receive(PushMessage(text: code, by: .scanned))
                }.refusal
            },
        ]
    }

    private var blocking: [DemoFlow] {
        [
            DemoFlow(
                "wrong PIN until blocked, unblocked by the bank",
                expecting: "may retry ×5, may retry, blocked; told and active; taken, logged in",
                run: guess)
        ]
    }

    private var lasting: [DemoFlow] {
        [
            DemoFlow(
                "killed between counter and request",
                expecting: "killed, nothing sent; verify again; taken, logged in", run: crash),
            DemoFlow("process restarted", expecting: "taken, logged in") {
                _ = try await phone.receive()
                let login = try await phone.simulator.startLogin(of: "jane", asking: .confirm)
                let started = try phone.device.authenticator(with: ServerPins())
                var found: [Reception] = []
                for push in await phone.simulator.takePushes() {
                    found += try await started.receive(push.message())
                }
                guard let id = found.compactMap(\.challenge).first else { return "not found" }
                let outcome = try await started.resolve(started.challenge(id), with: .approve)
                return try await "\(outcome.words), \(phone.status(of: login))"
            },
            DemoFlow("removed by the bank", expecting: "told, needs activation; active again") {
                _ = try await phone.receive()
                try await phone.simulator.remove(activation().id)
                _ = try await phone.receive()
                let states = try await phone.authenticator.enrollments().map(\.state)
                let word =
                    states.contains(.needsReenrollment) ? "told, needs activation" : "\(states)"
                let again = try await activate()
                return "\(word); \(again.contains("active") ? "active again" : again)"
            },
        ]
    }
}
