import Foundation
import LocalServer
import PushCore
import PushKeycloak
import PushKeycloakSimulator
import PushTesting

/// Keycloak: a realm over HTTPS that signs by ES256, one over HTTP/2 by RS256 whose codes are
/// addresses, and one over plain HTTP by ES512, of a phone whose clock is 20 s ahead and that gets no
/// pushes.
struct KeycloakLab: VendorLab {
    static let vendor = "keycloak"

    let name = Self.vendor
    private let site: LabSite
    let main: Station<KeycloakSimulator>
    let other: Station<KeycloakSimulator>
    let silent: Station<KeycloakSimulator>

    /// The first phone's. The server behind it goes by the system's, and says so.
    let clock: LabClock

    init(log: ExchangeLog) async throws {
        let (site, clock) = (try LabSite(log: log), LabClock())
        (self.site, self.clock) = (site, clock)
        do {
            main = try await Self.station(
                "main", .init(algorithm: .es256), speaking: .secure(site.identity), at: site,
                by: clock)
            var server = KeycloakSimulator.Configuration(algorithm: .rs256)
            server.contextPath = "/auth"
            server.usesRequestURI = true
            other = try await Self.station(
                "other", server, speaking: .modern(site.identity), at: site)
            let early = LabClock()
            early.advance(by: .seconds(20))
            silent = try await Self.station(
                "silent", .init(algorithm: .es512), speaking: .plain, at: site, by: early,
                isPushed: false)
        } catch {
            site.remove()
            throw error
        }
    }

    private static func station(
        _ name: String, _ server: KeycloakSimulator.Configuration,
        speaking wire: LocalServer.Wire, at site: LabSite, by clock: any PushClock = SystemClock(),
        isPushed: Bool = true
    ) async throws -> Station<KeycloakSimulator> {
        let simulator = KeycloakSimulator(server)
        let host = try await Host(simulator, speaking: wire)
        let configuration = try await configuration(of: simulator)
        let device = try await site.device(name, clock: clock) {
            [Keycloak(configuration: configuration, in: $0)]
        }
        if isPushed { try await device.authenticator.deviceTokenChanged(.fcm("push-lab-\(name)")) }
        return Station(simulator, at: host, device: device)
    }

    /// What a device is told of a realm.
    static func configuration(
        of simulator: KeycloakSimulator
    ) async throws -> KeycloakConfiguration {
        KeycloakConfiguration(realms: [
            try .init(
                issuer: await simulator.issuer, clientID: "push-device-client",
                clientSecret: Secret("device-client-secret".utf8), allowsPlainHTTP: true)
        ])
    }

    func close() async {
        for station in [main, other, silent] { await station.close() }
        site.remove()
    }

    var flows: [DemoFlow] {
        enrolling + answering + choosing + refusing + lasting + keys + ending
    }

    // MARK: Flows

    private var enrolling: [DemoFlow] {
        [
            DemoFlow("enroll by QR code", expecting: "active") {
                try await "\(main.enroll("ada").state)"
            },
            DemoFlow("enroll by an address, over HTTP/2", expecting: "active") {
                try await "\(other.enroll("ada").state)"
            },
            DemoFlow("enroll with a clock that is 20 s fast", expecting: "active") {
                try await "\(silent.enroll("ada").state)"
            },
            DemoFlow(
                "enrolled, reply lost", expecting: "unconfirmed; after a look at the list: active",
                run: loseEnrollment),
            DemoFlow("code used twice", expecting: "invitationSpent", run: enrollTwice),
            DemoFlow("code that another key signed", expecting: "untrusted", run: enrollForged),
        ]
    }

    private var answering: [DemoFlow] {
        [
            DemoFlow("push, approved", expecting: "taken, logged in") {
                try await main.answer("ada", .confirm) { _, _ in .approve }
            },
            DemoFlow("push, denied", expecting: "taken, login denied") {
                try await main.answer("ada", .confirm) { _, _ in .deny(.unexpected) }
            },
            DemoFlow("push of RS256, approved", expecting: "taken, logged in") {
                try await other.answer("ada", .confirm) { _, _ in .approve }
            },
            DemoFlow("no push, found by asking, approved", expecting: "taken, logged in") {
                try await askAndApprove(silent)
            },
        ]
    }

    private var choosing: [DemoFlow] {
        [
            DemoFlow("number, right one", expecting: "taken, logged in") {
                try await main.answer("ada", .number) { login, _ in .choose(login.shown ?? "") }
            },
            DemoFlow(
                "number, wrong then denied",
                expecting: "may retry, still waiting; taken, login denied"
            ) {
                let login = try await main.simulator.startLogin(of: "ada", asking: .number)
                let challenge = try await main.receiveChallenge()
                let wrong = try await main.answer(
                    challenge, .choose(challenge.wrongChoice(beside: login.shown)), login)
                let again = try await main.authenticator.challenge(challenge.id)
                guard case .denyOnly = again.prompt else { return "another try" }
                let denied = try await main.answer(again, .deny(.unexpected), login)
                return "\(wrong); \(denied)"
            },
            DemoFlow(
                "PIN of the login page", expecting: "6 digits; taken, logged in", run: enterPIN),
            DemoFlow(
                "link on the same device, with the number",
                expecting: "to choose from 3; taken, logged in", run: followLink),
        ]
    }

    private var refusing: [DemoFlow] {
        [
            DemoFlow("forged signature", expecting: Self.refused) {
                try await refusal(of: .wrongKey)
            },
            DemoFlow("challenge changed after signing", expecting: Self.refused) {
                try await refusal(
                    of: .tampered(claim: "cid", value: "1a6d6a0b-3385-4772-8eb8-0d2f4dbd25a4"))
            },
            DemoFlow("signature in DER", expecting: Self.refused) {
                try await refusal(of: .signatureInAnotherForm)
            },
            DemoFlow("alg confusion: public key as HMAC key", expecting: Self.refused) {
                try await refusal(of: .hs256)
            },
            DemoFlow("push of another realm", expecting: Self.refused) {
                try await refusal(of: .claim("iss", "https://evil.example/realms/demo"))
            },
            DemoFlow(
                "kind of an enrollment in a push",
                expecting: "malformed, nothing kept, still waiting"
            ) {
                try await refusal(of: .claim("typ", "push-enroll-challenge"))
            },
            DemoFlow("expired push", expecting: "expired, never asked") {
                _ = try await main.simulator.startLogin(
                    of: "ada", asking: .confirm, spoiledBy: .expired(ago: .seconds(600)))
                guard case .over(let over)? = try await main.receive().first?.kind else {
                    return "asked"
                }
                return "\(over.reason), never asked"
            },
            DemoFlow("unknown version of a push", expecting: "only to deny") {
                _ = try await main.simulator.startLogin(
                    of: "ada", asking: .confirm, spoiledBy: .claim("ver", 2))
                guard case .denyOnly = try await main.receiveChallenge().prompt else {
                    return "to be answered"
                }
                return "only to deny"
            },
        ]
    }

    private var lasting: [DemoFlow] {
        [
            DemoFlow("push delivered twice", expecting: "one challenge", run: repeatPush),
            DemoFlow("device token changes", expecting: "server told; taken, logged in") {
                let failures = try await main.authenticator.deviceTokenChanged(
                    .fcm("push-lab-new"))
                guard failures.isEmpty else { return "server not told" }
                let said = try await main.answer("ada", .confirm) { _, _ in .approve }
                return "server told; \(said)"
            },
            DemoFlow("server down, then up", expecting: "unknown; taken, logged in", run: goDown),
            DemoFlow(
                "answer accepted, reply lost",
                expecting: "unknown; ended after resume, logged in", run: loseReply),
            DemoFlow(
                "a stranger says 200 in the server's place",
                expecting: "unknown, still waiting; taken after resume, logged in",
                run: meetStranger),
            DemoFlow("access tokens revoked", expecting: "taken, logged in") {
                await main.simulator.revokeAccessTokens()
                return try await main.answer("ada", .confirm) { _, _ in .approve }
            },
        ]
    }

    private var keys: [DemoFlow] {
        [
            DemoFlow("realm signs with a new key", expecting: "taken, logged in") {
                // Strangers can name a key, so a phone asks for the keys once a minute at the most.
                clock.advance(by: .seconds(90))
                try await main.simulator.rotateRealmKey(keepingOld: false)
                return try await main.answer("ada", .confirm) { _, _ in .approve }
            },
            DemoFlow("device's key changes", expecting: "another key; taken, logged in") {
                try await rotateKey(losingReply: false)
            },
            DemoFlow(
                "device's key changes, reply lost",
                expecting: "interrupted, another key; taken, logged in"
            ) {
                try await rotateKey(losingReply: true)
            },
        ]
    }

    private var ending: [DemoFlow] {
        [
            DemoFlow(
                "a second login takes the first one's place", expecting: "ended", run: replace),
            DemoFlow(
                "account locked by the panic button",
                expecting: "no more logins; unlocked: taken, logged in", run: lockOut),
            DemoFlow(
                "credential removed in the account console",
                expecting: "not taken; needsReenrollment", run: removeCredential),
        ]
    }

    private static let refused = "untrusted, nothing kept, still waiting"

    private func refusal(of bad: KeycloakSimulator.BadToken) async throws -> String {
        try await main.refuse {
            try await main.simulator.startLogin(of: "ada", asking: .confirm, spoiledBy: bad)
        }
    }
}
