import Foundation
import LocalServer
import PushCore
import PushForgeRock
import PushForgeRockSimulator
import PushTesting

/// ForgeRock / Ping AM: AM 8.0 over HTTPS, 8.1 over HTTP/2, and 7.1 over plain HTTP.
struct ForgeRockLab: VendorLab {
    static let vendor = "forgerock"

    let name = Self.vendor
    let site: LabSite
    let am80: Station<ForgeRockSimulator>
    let am81: Station<ForgeRockSimulator>
    let am71: Station<ForgeRockSimulator>

    init(log: ExchangeLog) async throws {
        site = try LabSite(log: log)
        do {
            am80 = try await Self.station(.c, speaking: .secure(site.identity), at: site)
            am81 = try await Self.station(.d, speaking: .modern(site.identity), at: site)
            am71 = try await Self.station(.a, speaking: .plain, at: site)
        } catch {
            site.remove()
            throw error
        }
    }

    private static func station(
        _ generation: ForgeRockSimulator.Generation, speaking wire: LocalServer.Wire,
        at site: LabSite
    ) async throws -> Station<ForgeRockSimulator> {
        var configuration = ForgeRockSimulator.Configuration(
            generation: generation, realm: "/alpha", issuer: "Example Bank")
        configuration.sharesContextInfo = true
        let device = try await site.device("\(generation)") {
            [ForgeRock(configuration: .init(allowsLocalHosts: true), in: $0)]
        }
        let station = try await Station(
            ForgeRockSimulator(configuration), speaking: wire, device: device)
        try await station.authenticator.deviceTokenChanged(
            .apns(hex: String(repeating: "0A", count: 32), isSandbox: true))
        return station
    }

    func close() async {
        for station in [am80, am81, am71] { await station.close() }
        site.remove()
    }

    var flows: [DemoFlow] {
        enrolling + answering + refusing + lasting + promising + moving
    }

    // MARK: Flows

    private var enrolling: [DemoFlow] {
        [
            DemoFlow("enroll by QR code", expecting: "active") {
                try await state(of: am80.enroll("jane"))
            },
            DemoFlow("enroll at AM 8.1 over HTTP/2", expecting: "active") {
                try await state(of: am81.enroll("jane"))
            },
            DemoFlow("enroll at AM 7.1 over plain HTTP", expecting: "active") {
                try await state(of: am71.enroll("jane"))
            },
        ]
    }

    private var answering: [DemoFlow] {
        [
            DemoFlow("default push, approved", expecting: "taken, logged in") {
                try await answer(at: am80, .confirm) { _ in .approve }
            },
            DemoFlow("default push, denied", expecting: "taken, login denied") {
                try await answer(at: am80, .confirm) { _ in .deny(.unexpected) }
            },
            DemoFlow("default push of AM 7.1, approved", expecting: "taken, logged in") {
                try await answer(at: am71, .confirm) { _ in .approve }
            },
            DemoFlow("number challenge, right number", expecting: "taken, logged in") {
                try await answer(at: am80, .number) { .choose($0.shown ?? "") }
            },
            DemoFlow("number challenge, wrong number", expecting: "taken, login failed") {
                try await am80.answer("jane", .number) { login, challenge in
                    .choose(challenge.wrongChoice(beside: login.shown))
                }
            },
            DemoFlow(
                "number challenge of AM 8.1, wrong then right",
                expecting: "may retry, still waiting; taken, logged in"
            ) {
                let login = try await am81.simulator.startLogin(of: "jane", asking: .number)
                let challenge = try await am81.receiveChallenge()
                let wrong = try await am81.answer(
                    challenge, .choose(challenge.wrongChoice(beside: login.shown)), login)
                let right = try await am81.answer(challenge, .choose(login.shown ?? ""), login)
                return "\(wrong); \(right)"
            },
            DemoFlow("biometric push, approved", expecting: "taken, logged in") {
                try await answer(at: am80, .biometry) { _ in .approve }
            },
        ]
    }

    private var refusing: [DemoFlow] {
        [
            DemoFlow(
                "forged signature",
                expecting: Self.refused
            ) {
                try await refusal(of: .wrongKey)
            },
            DemoFlow(
                "claims changed after signing",
                expecting: Self.refused
            ) {
                try await refusal(of: .tampered(claim: "m", value: "All is well"))
            },
            DemoFlow(
                "signed with another account's key",
                expecting: Self.refused
            ) {
                _ = try await am80.enroll("mallory")
                return try await refusal(of: .signedWithKey(of: "mallory"))
            },
            DemoFlow("expired push", expecting: "flagged as expired") {
                _ = try await am80.simulator.startLogin(
                    of: "jane", asking: .confirm, spoiledBy: .expired(ago: .seconds(600)))
                guard case .notice(_, .expired)? = try await am80.receive().first?.kind else {
                    return "not flagged"
                }
                return "flagged as expired"
            },
            DemoFlow(
                "unknown type of push",
                expecting: "yes: unsupported; no: taken, login denied"
            ) {
                let login = try await am80.simulator.startLogin(
                    of: "jane", asking: .confirm, spoiledBy: .type("retina"))
                let challenge = try await am80.receiveChallenge()
                let approval = await Result { () async throws(PushError) in
                    try await am80.authenticator.resolve(challenge, with: .approve)
                }
                let denial = try await am80.answer(challenge, .deny(.unexpected), login)
                return "yes: \(approval.refusal); no: \(denial)"
            },
        ]
    }

    private var lasting: [DemoFlow] {
        [
            DemoFlow("push delivered twice", expecting: "one challenge") {
                _ = try await am80.simulator.startLogin(
                    of: "jane", asking: .confirm, spoiledBy: .repeated)
                let receptions = try await am80.receive()
                let isOnce = Set(receptions.map(\.challenge)).count == 1
                return receptions.map(\.isNew) == [true, false] && isOnce
                    ? "one challenge" : "\(receptions.count) challenges"
            },
            DemoFlow("device token changes", expecting: "AM told; taken, logged in") {
                let failures = try await am80.authenticator.deviceTokenChanged(
                    .apns(hex: String(repeating: "0B", count: 32), isSandbox: true))
                guard failures.isEmpty else { return "AM not told" }
                return try await "AM told; \(answer(at: am80, .confirm) { _ in .approve })"
            },
            DemoFlow("server down, then up", expecting: "unknown; taken, logged in") {
                let login = try await am80.simulator.startLogin(of: "jane", asking: .confirm)
                let challenge = try await am80.receiveChallenge()
                await am80.host.stop()
                let down = try await am80.authenticator.resolve(challenge, with: .approve)
                try await am80.host.restart()
                let up = try await am80.authenticator.resume()[challenge.id]
                let status = try await am80.status(of: login)
                return "\(down.words); \(up?.words ?? "nothing sent"), \(status)"
            },
        ]
    }

    // MARK: Steps

    private static let refused = "untrusted, nothing kept, still waiting"

    private func state(of enrollment: Enrollment) -> String { "\(enrollment.state)" }

    private func answer(
        at station: Station<ForgeRockSimulator>, _ kind: SimulatedLogin.Kind,
        _ resolution: (SimulatedLogin) -> Resolution
    ) async throws -> String {
        try await station.answer("jane", kind) { login, _ in resolution(login) }
    }

    private func refusal(of bad: ForgeRockSimulator.BadPush) async throws -> String {
        try await am80.refuse {
            try await am80.simulator.startLogin(of: "jane", asking: .confirm, spoiledBy: bad)
        }
    }
}
