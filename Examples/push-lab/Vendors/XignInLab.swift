import Foundation
import LocalServer
import PushCore
import PushTesting
import PushXignIn
import PushXignInSimulator

/// XignIn: one app that is personalized at two managers, over HTTPS and HTTP/2, and a second device
/// of the same account at one of them.
struct XignInLab: VendorLab {
    static let vendor = "xignin"

    let name = Self.vendor
    private let site: LabSite
    private let user = PINUser()
    private let bank: Station<XignInSimulator>
    private let clinic: Station<XignInSimulator>
    private let tablet: Station<XignInSimulator>
    private let xign: XignIn

    init(log: ExchangeLog) async throws {
        site = try LabSite(log: log)
        do {
            let phone = try await Self.device("phone", user, at: site)
            bank = try await Station(
                Self.manager("idm-bank"), speaking: .secure(site.identity), device: phone)
            clinic = try await Station(
                Self.manager("idm-clinic"), speaking: .modern(site.identity), device: phone)
            tablet = try await bank.visited(by: Self.device("tablet", user, at: site))
            xign = Self.plugin(in: phone.environment)
        } catch {
            site.remove()
            throw error
        }
    }

    private static func device(
        _ name: String, _ user: PINUser, at site: LabSite
    ) async throws -> LabDevice {
        let device = try await site.device(name, verifier: user) { [plugin(in: $0)] }
        try await device.authenticator.deviceTokenChanged(.fcm("push-lab-\(name)"))
        return device
    }

    private static func plugin(in environment: Environment) -> XignIn {
        var configuration = XignIn.Configuration()
        // A demo shouldn't wait for the stretching of its PINs.
        configuration.pinIterations = 10_000
        return XignIn(configuration: configuration, in: environment)
    }

    private static func manager(_ identifier: String) -> XignInSimulator {
        var configuration = XignInSimulator.Configuration(identifier: identifier)
        configuration.transaction = "Pay 12.50 EUR to Example GmbH"
        configuration.lockouts.duration = .seconds(2)
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
            DemoFlow("cancel arrives before the request", expecting: "never asked") {
                _ = try await clinic.simulator.startLogin(
                    of: "jane", asking: .confirm, spoiledBy: .withdrawnFirst)
                let receptions = try await clinic.receive()
                return receptions.contains { $0.challenge != nil && $0.end == nil && $0.isNew }
                    ? "asked" : "never asked"
            },
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

    // MARK: Steps

    private func personalize(
        _ name: String, at station: Station<XignInSimulator>
    ) async throws -> String {
        let enrollment = try await station.enroll(name)
        return "\(enrollment.id.name), \(enrollment.state)"
    }

    private func answer(
        at station: Station<XignInSimulator>, _ resolution: (Challenge) -> Resolution
    ) async throws -> String {
        try await station.answer("jane", .confirm) { _, challenge in resolution(challenge) }
    }

    /// The documented continuation, call by call.
    private func signIn() async throws -> String {
        let login = try await clinic.simulator.startLogin(of: "jane", asking: .confirm)
        let push = XignPush(clinic.authenticator, provider: xign)
        let authenticator = XignAuthenticator(clinic.authenticator, provider: xign)
        guard let sent = await clinic.simulator.takePushes().first,
            let text = try sent.message()["oxrw_msg"]?.string,
            case .authentication(let message)? = try await push.handleMessage(
                data: ["oxrw": "1", "oxrw_msg": text])
        else { return "no authentication" }
        let data = try await authenticator.fetchPushAuthenticationInitializationData(
            message: message)
        let request = try await authenticator.startAuthentication(data: data)
        let result = try await authenticator.finishAuthentication(userInfo: .init(for: request))
        guard case .userLogin = result else { return "not signed in" }
        let status = try await clinic.status(of: login)
        return "\(data.serviceInformation.name); signed in; \(status)"
    }

    private func lockOut() async throws -> String {
        let login = try await clinic.simulator.startLogin(of: "jane", asking: .confirm)
        let challenge = try await clinic.receiveChallenge()
        await user.type("0000")
        var words: [String] = []
        for _ in 0..<3 {
            words.append(
                try await clinic.authenticator.resolve(challenge, with: .approve).words)
        }
        await user.type(PINUser.right)
        let locked = try await clinic.answer(challenge, .approve, login)
        try await Task.sleep(for: .seconds(2.1))
        let after = try await answer(at: clinic) { _ in .approve }
        return "\(words.joined(separator: ", ")); \(locked); \(after)"
    }

    private func loseReply() async throws -> String {
        let login = try await clinic.simulator.startLogin(of: "jane", asking: .confirm)
        let challenge = try await clinic.receiveChallenge()
        await clinic.host.loseNextReply()
        let lost = try await clinic.authenticator.resolve(challenge, with: .approve)
        let found = try await clinic.authenticator.resolve(challenge, with: .approve)
        let status = try await clinic.status(of: login)
        return "\(lost.words); \(found.words) after PIN, \(status)"
    }

    private func answerOnOne() async throws -> String {
        let login = try await bank.simulator.startLogin(of: "jane", asking: .confirm)
        var asked: [(Station<XignInSimulator>, Challenge.ID)] = []
        for push in await bank.simulator.takePushes() {
            for station in [bank, tablet] where push.deviceToken == station.token {
                for reception in try await station.authenticator.receive(push.message()) {
                    if let id = reception.challenge { asked.append((station, id)) }
                }
            }
        }
        guard let (first, id) = asked.first, let (other, _) = asked.last, asked.count == 2 else {
            return "\(asked.count) asked"
        }
        let said = try await bank.answer(first.authenticator.challenge(id), .approve, login)
        var ends: [Withdrawal.Reason] = []
        for push in await bank.simulator.takePushes() {
            ends += try await other.authenticator.receive(push.message()).compactMap(\.end)
        }
        return "\(said); the other: \(ends.first.map { "\($0)" } ?? "still asked")"
    }

    private func refusal(of bad: XignInSimulator.BadPush) async throws -> String {
        let login = try await clinic.simulator.startLogin(
            of: "jane", asking: .confirm, spoiledBy: bad)
        let push = XignPush(clinic.authenticator, provider: xign)
        var words: [String] = []
        for sent in await clinic.simulator.takePushes() {
            guard let text = try sent.message()["oxrw_msg"]?.string else { continue }
            do {
                let result = try await push.handleMessage(data: ["oxrw": "1", "oxrw_msg": text])
                words.append(result == nil ? "nil" : "taken")
            } catch {
                words.append("\(XignPushHandleMessageErrorCodes.from(errorCode: error.errorCode))")
            }
        }
        return try await "\(words.joined(separator: ", ")), \(clinic.status(of: login))"
    }

    private func incompatibility() async throws -> String {
        _ = try await clinic.simulator.startLogin(
            of: "jane", asking: .confirm, spoiledBy: .minimumVersion("2.0.0"))
        guard case .incompatible(let found)? = try await clinic.receive().first?.kind else {
            return "not noticed"
        }
        let tell = found.isIgnorable ? "silent" : "tell the user"
        return "incompatible, needs \(found.minimumVersion ?? "?"), \(tell)"
    }

    /// What Google and Apple can read of a push.
    private func readPush() async throws -> String {
        _ = try await clinic.simulator.startLogin(of: "jane", asking: .confirm)
        guard let push = await clinic.simulator.takePushes().first,
            let token = try push.message()["oxrw_msg"]?.string
        else { return "no push" }
        let parts = token.split(separator: ".").dropLast().map { Readable.text(String($0)) }
        let readable = String(decoding: push.payload, as: UTF8.self) + parts.joined()
        let details = ["jane", "Example Shop", "Example GmbH", "12.50", "challenge", "127.0.0.1"]
        let found = details.filter { readable.contains($0) }
        return found.isEmpty ? "nothing of them" : found.joined(separator: ", ")
    }

    private func removeToken() async throws -> String {
        try await Personalizer(bank.authenticator, provider: xign)
            .updatePushToken(idmIdentifier: "idm-bank", token: nil)
        _ = try await bank.simulator.startLogin(of: "jane", asking: .confirm)
        let here = await bank.simulator.takePushes().filter { $0.deviceToken == bank.token }
        let other = try await answer(at: clinic) { _ in .approve }
        let rest = other == "taken, logged in" ? "the other manager still pushes" : other
        return "\(here.isEmpty ? "no push" : "\(here.count) pushes"); \(rest)"
    }
}

extension Station<XignInSimulator> {
    fileprivate var token: DeviceToken { .fcm("push-lab-\(device.directory.lastPathComponent)") }
}

extension Reception {
    /// How the challenge ended, if that is what came.
    fileprivate var end: Withdrawal.Reason? {
        if case .over(let withdrawal) = kind { withdrawal.reason } else { nil }
    }
}

extension ChallengeRecord {
    fileprivate var isOver: Bool {
        if case .over = state { true } else { false }
    }
}
