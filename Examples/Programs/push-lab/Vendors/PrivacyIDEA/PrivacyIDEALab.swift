import Foundation
import LocalServer
import PushCore
import PushPrivacyIDEA
import PushPrivacyIDEASimulator
import PushTesting

/// privacyIDEA: 3.14 over HTTPS, 3.13 over HTTP/2, and 3.9, which only lists, over plain HTTP to a phone
/// whose clock is 90 s ahead.
struct PrivacyIDEALab: VendorLab {
    static let vendor = "privacyidea"

    let name = Self.vendor
    private let site: LabSite
    let pi314: Station<PrivacyIDEASimulator>
    let pi313: Station<PrivacyIDEASimulator>
    let pi39: Station<PrivacyIDEASimulator>

    init(log: ExchangeLog) async throws {
        site = try LabSite(log: log)
        do {
            pi314 = try await Self.station(.v314, speaking: .secure(site.identity), at: site)
            pi313 = try await Self.station(.v313, speaking: .modern(site.identity), at: site)
            let clock = LabClock()
            clock.advance(by: .seconds(90))
            pi39 = try await Self.station(.v39, speaking: .plain, at: site, by: clock)
        } catch {
            site.remove()
            throw error
        }
    }

    private static func station(
        _ generation: PrivacyIDEASimulator.Generation, speaking wire: LocalServer.Wire,
        at site: LabSite, by clock: any PushClock = SystemClock()
    ) async throws -> Station<PrivacyIDEASimulator> {
        var server = PrivacyIDEASimulator.Configuration(
            generation: generation, issuer: "Example Bank")
        server.serverKeys = .pool(of: 4)
        if generation == .v39 { server.gateway = .pollOnly }
        var configuration = PrivacyIDEA.Configuration()
        configuration.allowsLocalHosts = true
        configuration.allowsPlainHTTP = generation == .v39
        let device = try await site.device("\(generation)", clock: clock) { [configuration] in
            [PrivacyIDEA(configuration: configuration, in: $0)]
        }
        let station = try await Station(
            PrivacyIDEASimulator(server), speaking: wire, device: device)
        try await station.authenticator.deviceTokenChanged(.fcm("push-lab-\(generation)"))
        return station
    }

    func close() async {
        for station in [pi314, pi313, pi39] { await station.close() }
        site.remove()
    }

    var flows: [DemoFlow] { enrolling + answering + choosing + refusing + lasting + ending }

    // MARK: Flows

    private var enrolling: [DemoFlow] {
        [
            DemoFlow("enroll by QR code", expecting: "active") {
                try await "\(pi314.enroll("ada").state)"
            },
            DemoFlow("enroll at 3.13 over HTTP/2", expecting: "active") {
                try await "\(pi313.enroll("ada").state)"
            },
            DemoFlow("enroll at 3.9 over plain HTTP", expecting: "active") {
                try await "\(pi39.enroll("ada").state)"
            },
            DemoFlow(
                "enrolled, reply lost",
                expecting: "invitationSpent, nothing kept; by a new code: active",
                run: loseEnrollment),
        ]
    }

    private var answering: [DemoFlow] {
        [
            DemoFlow("push, approved", expecting: "taken, logged in") {
                try await pi314.answer("ada", .confirm) { _, _ in .approve }
            },
            DemoFlow(
                "push, denied: it was not me", expecting: "taken, login denied, declined"
            ) {
                try await denial(.unexpected)
            },
            DemoFlow("push, denied: not now", expecting: "taken, login denied, cancelled") {
                try await denial(.ignore)
            },
            DemoFlow("push of 3.13, approved", expecting: "taken, logged in") {
                try await pi313.answer("ada", .confirm) { _, _ in .approve }
            },
            DemoFlow("found by asking 3.9, approved", expecting: "taken, logged in") {
                try await askAndApprove(pi39)
            },
        ]
    }

    private var choosing: [DemoFlow] {
        [
            DemoFlow("number, right one", expecting: "taken, logged in") {
                try await pi314.answer("ada", .number) { login, _ in .choose(login.shown ?? "") }
            },
            DemoFlow(
                "number, wrong then right",
                expecting: "may retry, still waiting; taken, logged in"
            ) {
                let login = try await pi314.simulator.startLogin(of: "ada", asking: .number)
                let challenge = try await pi314.receiveChallenge()
                let wrong = try await pi314.answer(
                    challenge, .choose(challenge.wrongChoice(beside: login.shown)), login)
                let right = try await pi314.answer(challenge, .choose(login.shown ?? ""), login)
                return "\(wrong); \(right)"
            },
            DemoFlow("texts with percent signs, right one", expecting: "taken, logged in") {
                await pi313.simulator.configure { $0.presence = .custom(["50%20", "50 ", "007"]) }
                return try await pi313.answer("ada", .number) { login, _ in
                    .choose(login.shown ?? "")
                }
            },
            DemoFlow(
                "code for the login page", expecting: "code, still waiting; typed: logged in",
                run: typeCode),
        ]
    }

    private var refusing: [DemoFlow] {
        [
            DemoFlow("forged signature", expecting: Self.refused) {
                try await refusal(of: .wrongKey)
            },
            DemoFlow("question changed after signing", expecting: Self.refused) {
                try await refusal(of: .tampered(field: "question", value: "All is well?"))
            },
            DemoFlow("number to choose taken out", expecting: Self.refused) {
                try await refusal(of: .missing(field: "require_presence"), .number)
            },
            DemoFlow("capabilities of another challenge", expecting: Self.refused) {
                try await refusal(of: .capabilitiesOfAnotherNonce)
            },
            DemoFlow("answer would go to another origin", expecting: Self.refused) {
                try await refusal(
                    of: .signed(field: "url", value: "https://evil.example/ttype/push"))
            },
            DemoFlow("options that are alike", expecting: "deny only; taken, login denied") {
                let login = try await pi314.simulator.startLogin(
                    of: "ada", asking: .confirm,
                    spoiledBy: .signed(field: "require_presence", value: "A,A,B"))
                let challenge = try await pi314.receiveChallenge()
                guard case .denyOnly = challenge.prompt else { return "may be chosen from" }
                let said = try await pi314.answer(challenge, .deny(.unexpected), login)
                return "deny only; \(said)"
            },
        ]
    }

    private var lasting: [DemoFlow] {
        [
            DemoFlow("push delivered twice", expecting: "one challenge", run: repeatPush),
            DemoFlow("device token changes", expecting: "server told; taken, logged in") {
                let failures = try await pi314.authenticator.deviceTokenChanged(
                    .fcm("push-lab-new"))
                guard failures.isEmpty else { return "server not told" }
                let said = try await pi314.answer("ada", .confirm) { _, _ in .approve }
                return "server told; \(said)"
            },
            DemoFlow("server down, then up", expecting: "unknown; taken, logged in") {
                let login = try await pi314.simulator.startLogin(of: "ada", asking: .confirm)
                let challenge = try await pi314.receiveChallenge()
                await pi314.host.stop()
                let down = try await pi314.authenticator.resolve(challenge, with: .approve)
                try await pi314.host.restart()
                let up = try await pi314.authenticator.resume()[challenge.id]
                let status = try await pi314.status(of: login)
                return "\(down.words); \(up?.words ?? "nothing sent"), \(status)"
            },
            DemoFlow(
                "answer accepted, reply lost",
                expecting: "unknown; unknown after resume, logged in", run: loseReply),
            DemoFlow(
                "nobody may poll",
                expecting: "asked: listRefused; pushed: taken, logged in",
                run: forbidPolls),
            DemoFlow(
                "found by a phone whose clock is off",
                expecting: "taken, logged in; not once refused",
                run: askWithWrongClock),
        ]
    }

    private var ending: [DemoFlow] {
        [
            DemoFlow(
                "another code for the same token",
                expecting: "same enrollment; old push untrusted; taken, logged in",
                run: rollOver),
            DemoFlow(
                "two servers with one serial", expecting: "each asks its own; both logged in",
                run: shareSerial),
            DemoFlow(
                "token deleted at the server",
                expecting: "not taken; needsReenrollment", run: deleteToken),
        ]
    }

    private static let refused = "untrusted, nothing kept, still waiting"

    private func refusal(
        of bad: PrivacyIDEASimulator.BadChallenge, _ kind: SimulatedLogin.Kind = .confirm
    ) async throws -> String {
        try await pi314.refuse {
            try await pi314.simulator.startLogin(of: "ada", asking: kind, spoiledBy: bad)
        }
    }
}
