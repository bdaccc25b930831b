import LocalServer
import PushCore
import PushPlusAuth
import PushPlusAuthSimulator
import PushTesting

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// PlusAuth: a tenant over HTTPS whose devices have RSA keys, and one over HTTP/2 with P-256 keys.
struct PlusAuthLab: VendorLab {
    static let vendor = "plusauth"

    let name = Self.vendor
    private let site: LabSite
    private let tenant: Station<PlusAuthSimulator>
    private let other: Station<PlusAuthSimulator>
    private let sim = SIMCard()

    init(log: ExchangeLog) async throws {
        site = try LabSite(log: log)
        do {
            tenant = try await Self.station(
                "rsa", keys: .rs256, sim: sim, speaking: .secure(site.identity), at: site)
            other = try await Self.station(
                "ec", keys: .es256, sim: nil, speaking: .modern(site.identity), at: site)
        } catch {
            site.remove()
            throw error
        }
    }

    private static func station(
        _ name: String, keys: PlusAuth.KeyAlgorithm, sim: SIMCard?, speaking wire: LocalServer.Wire,
        at site: LabSite
    ) async throws -> Station<PlusAuthSimulator> {
        var configuration = PlusAuth.Configuration()
        configuration.allowsLocalHosts = true
        configuration.keyAlgorithm = keys
        configuration.simIdentity = sim
        let device = try await site.device(name) { [configuration] in
            [PlusAuth(configuration: configuration, in: $0)]
        }
        let station = try await Station(
            PlusAuthSimulator(.init(application: "Example Bank")), speaking: wire, device: device)
        try await station.authenticator.deviceTokenChanged(.fcm("push-lab-\(name)"))
        return station
    }

    func close() async {
        for station in [tenant, other] { await station.close() }
        site.remove()
    }

    var flows: [DemoFlow] { enrolling + answering + refusing + lasting }

    // MARK: Flows

    private var enrolling: [DemoFlow] {
        [
            DemoFlow("enroll by QR code", expecting: "active, RS256") {
                try await enroll("ada", at: tenant)
            },
            DemoFlow("enroll with a P-256 key over HTTP/2", expecting: "active, ES256") {
                try await enroll("ada", at: other)
            },
        ]
    }

    private var answering: [DemoFlow] {
        [
            DemoFlow("prompt, accepted", expecting: "taken, logged in") {
                try await tenant.answer("ada", .confirm) { _, _ in .approve }
            },
            DemoFlow(
                "prompt, rejected: it was not me",
                expecting: "taken, login denied, fraud_suspicion"
            ) {
                let login = try await tenant.simulator.startLogin(of: "ada", asking: .confirm)
                let said = try await tenant.answer(
                    tenant.receiveChallenge(), .deny(.fraud), login)
                let reason = try await tenant.simulator.answers(to: login.id).last?.rejectReason
                return "\(said), \(reason ?? "no reason")"
            },
            DemoFlow("code, right number", expecting: "taken, logged in") {
                try await tenant.answer("ada", .number) { login, _ in .choose(login.shown ?? "") }
            },
            DemoFlow("code, right number, P-256", expecting: "taken, logged in") {
                try await other.answer("ada", .number) { login, _ in .choose(login.shown ?? "") }
            },
            DemoFlow("code, wrong number", expecting: "taken, login failed") {
                try await tenant.answer("ada", .number) { login, challenge in
                    .choose(challenge.wrongChoice(beside: login.shown))
                }
            },
            DemoFlow("code, declined", expecting: "taken, login denied") {
                try await tenant.answer("ada", .number) { _, _ in .deny(.ignore) }
            },
            DemoFlow("two accounts on one device", expecting: "bob's is asked; taken, logged in") {
                let bob = try await tenant.enroll("bob")
                let login = try await tenant.simulator.startLogin(of: "bob", asking: .confirm)
                let challenge = try await tenant.receiveChallenge()
                let asked = challenge.id.enrollment == bob.id ? "bob's" : "another's"
                let said = try await tenant.answer(challenge, .approve, login)
                return "\(asked) is asked; \(said)"
            },
        ]
    }

    private var refusing: [DemoFlow] {
        [
            DemoFlow("forged signature", expecting: Self.refused) {
                try await refusal(of: .wrongKey)
            },
            DemoFlow("claims changed after signing", expecting: Self.refused) {
                try await refusal(of: .tampered(claim: "context_token", value: "mine"))
            },
            DemoFlow("alg confusion: none", expecting: Self.refused) {
                try await refusal(of: .algNone)
            },
            DemoFlow("alg confusion: public key as HMAC key", expecting: Self.refused) {
                try await refusal(of: .hs256)
            },
            DemoFlow("answer would go to another origin", expecting: Self.refused) {
                try await refusal(of: .foreignResolveURL("https://evil.example/resolve"))
            },
            DemoFlow("an answer played back as a push", expecting: Self.malformed) {
                try await refusal(of: .reflectedAnswer)
            },
            DemoFlow("expired push", expecting: "expired, never asked") {
                _ = try await tenant.simulator.startLogin(
                    of: "ada", asking: .confirm, spoiledBy: .expired(ago: .seconds(600)))
                guard case .over(let over)? = try await tenant.receive().first?.kind else {
                    return "asked"
                }
                return "\(over.reason), never asked"
            },
            DemoFlow("unknown type of push", expecting: "incompatible, never answered") {
                _ = try await tenant.simulator.startLogin(
                    of: "ada", asking: .confirm, spoiledBy: .claim("type", "retina"))
                guard case .incompatible? = try await tenant.receive().first?.kind else {
                    return "not noticed"
                }
                return "incompatible, never answered"
            },
        ]
    }

    private var lasting: [DemoFlow] {
        [
            DemoFlow(
                "push replayed before and after the answer",
                expecting: "one challenge; taken, logged in; answered already", run: replay),
            DemoFlow(
                "answer accepted, reply lost",
                expecting: "unknown; unknown after resume, logged in",
                run: loseReply),
            DemoFlow(
                "answered by a code first", expecting: "answered elsewhere, logged in",
                run: answerElsewhere),
            DemoFlow(
                "push off: the code from the app",
                expecting: "6 digits; logged in; not a second time", run: code),
            DemoFlow(
                "SIM card changed",
                expecting: "push dropped, code blocked, other account answers", run: changeSim),
        ]
    }

    // MARK: Steps

    private static let refused = "untrusted, nothing kept, still waiting"
    private static let malformed = "malformed, nothing kept, still waiting"

    private func enroll(
        _ user: String, at station: Station<PlusAuthSimulator>
    ) async throws -> String {
        let enrollment = try await station.enroll(user)
        let device = await station.simulator.devices(of: user).last
        return "\(enrollment.state), \(device?.algorithm ?? "no key")"
    }

    private func refusal(of bad: PlusAuthSimulator.BadPush) async throws -> String {
        try await tenant.refuse {
            try await tenant.simulator.startLogin(of: "ada", asking: .confirm, spoiledBy: bad)
        }
    }

    private func replay() async throws -> String {
        let login = try await tenant.simulator.startLogin(
            of: "ada", asking: .confirm, spoiledBy: .duplicatePush)
        let pushes = await tenant.simulator.takePushes()
        var receptions: [Reception] = []
        for push in pushes { receptions += try await tenant.authenticator.receive(push.message()) }
        guard let id = receptions.first?.challenge, let push = pushes.first,
            receptions.map(\.isNew) == [true, false], receptions.last?.challenge == id
        else { return "\(receptions.count) receptions" }
        let said = try await tenant.answer(
            tenant.authenticator.challenge(id), .approve, login)
        guard
            case .answered? = try await tenant.authenticator.receive(push.message()).first?.kind
        else { return "asked again" }
        return "one challenge; \(said); answered already"
    }

    private func loseReply() async throws -> String {
        let login = try await tenant.simulator.startLogin(of: "ada", asking: .confirm)
        let challenge = try await tenant.receiveChallenge()
        await tenant.host.loseNextReply()
        let lost = try await tenant.authenticator.resolve(challenge, with: .approve)
        let found = try await tenant.authenticator.resume()[challenge.id]
        let status = try await tenant.status(of: login)
        return "\(lost.words); \(found?.words ?? "nothing sent") after resume, \(status)"
    }

    /// A code typed into the page ends the login before the push is answered.
    private func answerElsewhere() async throws -> String {
        let login = try await tenant.simulator.startLogin(of: "bob", asking: .confirm)
        let challenge = try await tenant.receiveChallenge()
        let code = try await tenant.authenticator.code(for: challenge.id.enrollment)
        _ = try await tenant.simulator.submitCode(code.digits, for: login.id)
        return try await tenant.answer(challenge, .approve, login)
    }

    private func code() async throws -> String {
        let login = try await tenant.simulator.startLogin(of: "ada", asking: .confirm)
        _ = await tenant.simulator.takePushes()
        guard let ada = try await enrollment(of: "ada") else { return "not enrolled" }
        let code = try await tenant.authenticator.code(for: ada.id)
        let text = code.digits
        _ = try await tenant.simulator.submitCode(text, for: login.id)
        let status = try await tenant.status(of: login)
        let second = try await tenant.simulator.startLogin(of: "ada", asking: .confirm)
        _ = await tenant.simulator.takePushes()
        let verdict = try await tenant.simulator.submitCode(text, for: second.id)
        let again = verdict == .alreadyUsed ? "not a second time" : "\(verdict)"
        return "\(text.count) digits; \(status); \(again)"
    }

    private func changeSim() async throws -> String {
        await tenant.simulator.configure { $0.simBinding = .bound }
        _ = try await tenant.answer("ada", .confirm) { _, _ in .approve }
        await tenant.simulator.configure { $0.simBinding = .absent }
        await sim.change()
        _ = try await tenant.simulator.startLogin(of: "ada", asking: .confirm)
        var push = "push shown"
        for sent in await tenant.simulator.takePushes() {
            let received = await Result { () async throws(PushError) in
                try await tenant.authenticator.receive(sent.message())
            }
            if received.refusal == "blocked" { push = "push dropped" }
        }
        guard let ada = try await enrollment(of: "ada") else { return "not enrolled" }
        let code = await Result { () async throws(PushError) in
            try await tenant.authenticator.code(for: ada.id)
        }
        let bob = try await tenant.answer("bob", .confirm) { _, _ in .approve }
        let other = bob == "taken, logged in" ? "other account answers" : bob
        return "\(push), code \(code.refusal), \(other)"
    }

    private func enrollment(of user: String) async throws -> Enrollment? {
        try await tenant.authenticator.enrollments().first { $0.account?.hasPrefix(user) == true }
    }
}

extension OneTimeCode {
    fileprivate var digits: String { text.withBytes { String(decoding: $0, as: UTF8.self) } }
}

/// The SIM card of the device, which can be swapped.
private actor SIMCard: SIMIdentitySource {
    private var serial = 1

    func identities() -> [SIMIdentity]? {
        [SIMIdentity(slot: 0, identifier: "8990\(serial)")]
    }

    func change() { serial += 1 }
}
