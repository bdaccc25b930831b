import Foundation
import LocalServer
import PushCore
import PushTesting
import PushXignIn
import PushXignInReference
import PushXignInSimulator

/// XignIn: one app that is personalized at two managers, over HTTPS and HTTP/2, and a second device
/// of the same account at one of them.
struct XignInLab: VendorLab {
    static let vendor = "xignin"

    let name = Self.vendor
    private let site: LabSite
    let user = PINUser()
    let clock = LabClock()
    let bank: Station<XignInSimulator>
    let clinic: Station<XignInSimulator>
    let tablet: Station<XignInSimulator>
    let xign: XignIn

    init(log: ExchangeLog) async throws {
        site = try LabSite(log: log)
        do {
            let phone = try await Self.device("phone", user, clock, at: site)
            bank = try await Station(
                Self.manager("idm-bank", clock), speaking: .secure(site.identity), device: phone)
            clinic = try await Station(
                Self.manager("idm-clinic", clock), speaking: .modern(site.identity),
                device: phone)
            tablet = try await bank.visited(by: Self.device("tablet", user, clock, at: site))
            xign = Self.plugin(in: phone.environment)
        } catch {
            site.remove()
            throw error
        }
    }

    private static func device(
        _ name: String, _ user: PINUser, _ clock: LabClock, at site: LabSite
    ) async throws -> LabDevice {
        let device = try await site.device(name, verifier: user, clock: clock) {
            [plugin(in: $0)]
        }
        try await device.authenticator.deviceTokenChanged(.fcm("push-lab-\(name)"))
        return device
    }

    private static func plugin(in environment: PushEnvironment) -> XignIn {
        var configuration = XignIn.Configuration(wireFormat: OpenReferenceWireFormat())
        // A demo shouldn't wait for the stretching of its PINs.
        configuration.pinIterations = 10_000
        configuration.allowsLocalHosts = true
        return XignIn(configuration: configuration, in: environment)
    }

    private static func manager(_ identifier: String, _ clock: LabClock) -> XignInSimulator {
        var configuration = XignInSimulator.Configuration(identifier: identifier)
        configuration.clock = clock
        configuration.transaction = "Pay 12.50 EUR to Example GmbH"
        return XignInSimulator(configuration)
    }

    func close() async {
        for station in [bank, clinic] { await station.close() }
        site.remove()
    }

    var flows: [DemoFlow] { personalizing + answering + withdrawing + refusing + ending }

    // MARK: Flows

    private var personalizing: [DemoFlow] {
        [
            DemoFlow("personalize", expecting: "idm-bank, active") {
                try await personalize("jane", at: bank)
            },
            DemoFlow("personalize at a second manager", expecting: "idm-clinic, active") {
                try await personalize("jane", at: clinic)
            },
            DemoFlow("personalize another device", expecting: "idm-bank, active") {
                try await personalize("jane", at: tablet)
            },
        ]
    }

    private var answering: [DemoFlow] {
        [
            DemoFlow(
                "push, fetch, start, finish with PIN",
                expecting: "Example Shop; signed in; logged in", run: signIn),
            DemoFlow("the same by the uniform door", expecting: "taken, logged in") {
                try await answer(at: clinic) { _ in .approve }
            },
            DemoFlow("declined", expecting: "taken, login denied") {
                try await answer(at: clinic) { _ in .deny(.fraud) }
            },
            DemoFlow(
                "wrong PIN, then right", expecting: "may retry, still waiting; taken, logged in"
            ) {
                let login = try await clinic.simulator.startLogin(of: "jane", asking: .confirm)
                let challenge = try await clinic.receiveChallenge()
                await user.type("0000")
                let wrong = try await clinic.answer(challenge, .approve, login)
                await user.type(PINUser.right)
                let right = try await clinic.answer(challenge, .approve, login)
                return "\(wrong); \(right)"
            },
            DemoFlow(
                "wrong PIN until locked, then the wait",
                expecting:
                    "may retry, may retry, may retry; not taken, login failed; taken, logged in",
                run: lockOut),
            DemoFlow(
                "answer accepted, reply lost", expecting: "unknown; taken after PIN, logged in",
                run: loseReply),
        ]
    }

    private var withdrawing: [DemoFlow] {
        [
            DemoFlow(
                "two devices, one answers", expecting: "taken, logged in; the other: elsewhere",
                run: answerOnOne),
            DemoFlow("cancelled by the service", expecting: "asked; then cancelled") {
                let login = try await clinic.simulator.startLogin(of: "jane", asking: .confirm)
                let challenge = try await clinic.receiveChallenge()
                try await clinic.simulator.cancel(login.id)
                let over = try await clinic.receive().compactMap(\.end)
                let record = try await clinic.authenticator.record(of: challenge.id)
                return record?.isOver == true && over == [.cancelled]
                    ? "asked; then cancelled" : "\(over)"
            },
            DemoFlow(
                "cancel arrives before the request",
                expecting: "cancelled, new; then cancelled, nothing new", run: cancelFirst),
        ]
    }

    private var refusing: [DemoFlow] {
        [
            DemoFlow("forged signature", expecting: "invalidSignature, still waiting") {
                try await refusal(of: .wrongKey)
            },
            DemoFlow("claims changed after signing", expecting: "invalidSignature, still waiting") {
                try await refusal(of: .tampered(claim: "title", value: "All is well"))
            },
            DemoFlow("unsigned", expecting: "invalidSignature, still waiting") {
                try await refusal(of: .unsigned)
            },
            DemoFlow(
                "from a manager that isn't personalized",
                expecting: "identityManagerNotPersonalized, still waiting"
            ) {
                try await refusal(of: .manager("idm-other"))
            },
            DemoFlow("another sender's push", expecting: "nil") {
                let push = XignPush(clinic.authenticator, provider: xign)
                let result = try await push.handleMessage(data: ["gcm.message_id": "1"])
                return result == nil ? "nil" : "taken for ours"
            },
            DemoFlow("newer protocol", expecting: "incompatible, needs 2.0.0, tell the user") {
                try await incompatibility()
            },
            DemoFlow("newer protocol, ignorable", expecting: "incompatible, needs 2.0.0, silent") {
                await clinic.simulator.configure { $0.isIgnorable = true }
                let seen = try await incompatibility()
                await clinic.simulator.configure { $0.isIgnorable = false }
                return seen
            },
            DemoFlow("details never in the push", expecting: "nothing of them", run: readPush),
        ]
    }

    private var ending: [DemoFlow] {
        [
            DemoFlow(
                "push token removed at one manager",
                expecting: "no push; the other manager still pushes", run: removeToken),
            DemoFlow("personalization ended", expecting: "gone here, gone at the manager") {
                let id = Enrollment.ID("idm-clinic", of: xign.id)
                try await clinic.authenticator.remove(id)
                let here = try await clinic.authenticator.enrollment(id) == nil
                let there = await clinic.simulator.devices(of: "jane").isEmpty
                return "\(here ? "gone" : "left") here, \(there ? "gone" : "left") at the manager"
            },
        ]
    }
}
