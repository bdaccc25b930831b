import HTTPTypes
import PushCore
import PushForgeRock
import PushForgeRockSimulator
import PushJOSE
import PushKeycloak
import PushKeycloakSimulator
import PushOneSpan
import PushOneSpanReference
import PushOneSpanSimulator
import PushPlusAuth
import PushPlusAuthSimulator
import PushPowerAuth
import PushPowerAuthSimulator
import PushPrivacyIDEASimulator
import PushTesting
import PushXignIn
import PushXignInReference
import PushXignInSimulator

#if DEBUG
@testable import PushPrivacyIDEA
#else
import PushPrivacyIDEA
#endif

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What a schedule lends a simulator.
struct PluginSite {
    let clock: any PushClock
    let random: any RandomSource
}

/// A plugin with its simulator, as a schedule uses them.
struct Plugin {
    let simulator: any VendorSimulator
    let provider: @Sendable (PushEnvironment) -> (any PushProvider)?
    /// What logins ask for.
    let kinds: [SimulatedLogin.Kind]
    var rightEvidence: [Evidence] = [.presence]
    var wrongEvidence: [Evidence] = [.presence]
    /// Whether a push may only send the device to its server's list, whose names logins have.
    var pushesAreHints = false
    /// What the server calls a login's challenges, where a list may bring one without a push.
    var challengeNames: ((SimulatedLogin.ID) async -> [String])?
    /// Whether strangers answer in its server's place.
    var meetsStrangers = true
    /// Whether its server says yes to an answer that comes once the login has expired.
    var saysYesTooLate = false
    /// How long a login waits for an answer, in milliseconds.
    var lifetime = 120_000
    /// Which of its calls asks what waits.
    var listPath: String?
    /// Ends a login at the server, of which no push tells.
    var end: ((SimulatedLogin.ID) async -> Void)?
    /// Makes its server refuse all that a user answers, for a cause that passes, or no more.
    var refuse: ((_ isRefusing: Bool, _ user: String) async -> Void)?
    /// The value of a counter that a request was signed with, if the protocol has one.
    var usedCounter: ((HTTPRequest, Data) async -> UsedCounter?)?

    /// What an app can do with an enrollment besides answering; the number says which.
    var errand: Errand?

    /// The errands with a PIN that the user mistyped.
    static let mistypedErrands = 90..<100

    typealias Errand =
        @Sendable (PushEnvironment, PushAuthenticator, Enrollment.ID, Int) async throws(PushError)
        ->
        String

    struct UsedCounter {
        /// Which value, and of which enrollment.
        let value: String
        /// What tells one request from another that isn't its copy.
        let request: String
    }

    /// Two minutes, or so long that a schedule doesn't see its end.
    private static func lifetime(at site: PluginSite) -> Int {
        site.random.bytes(1).withBytes { $0[0] } < 128 ? 120_000 : 14_400_000
    }

    static func forgeRock(at site: PluginSite) -> Plugin {
        var configuration = ForgeRockSimulator.Configuration(
            clock: site.clock, random: site.random)
        let lifetime = lifetime(at: site)
        configuration.messageTimeout = .milliseconds(lifetime)
        return Plugin(
            simulator: ForgeRockSimulator(configuration),
            provider: { ForgeRock(in: $0) }, kinds: [.confirm, .number],
            meetsStrangers: true, lifetime: lifetime)
    }

    static func plusAuth(at site: PluginSite) -> Plugin {
        var configuration = PlusAuthSimulator.Configuration(
            clock: site.clock, random: site.random)
        let lifetime = lifetime(at: site)
        configuration.challengeLifetime = .milliseconds(lifetime)
        configuration.simBinding = .noSettings
        var choices = PlusAuth.Configuration()
        // An RSA pair takes longer than a whole schedule.
        choices.keyAlgorithm = .es256
        // An account is named after its key, so the schedule draws that as well.
        let random = site.random
        let keys = AccountKeySource { (_) async throws(PushError) in
            let key = try ES256PrivateKey(random.bytes(32))
            return try ExportableAccountKey(privateJWK: try key.privateJWK())
        }
        return Plugin(
            simulator: PlusAuthSimulator(configuration),
            provider: { [choices] in PlusAuth(configuration: choices, keys: keys, in: $0) },
            kinds: [.confirm, .number], meetsStrangers: true, lifetime: lifetime)
    }

    static func powerAuth(at site: PluginSite) -> Plugin {
        var configuration = PowerAuthSimulator.Configuration(
            clock: site.clock, random: site.random)
        configuration.invitation.commitPhase = .onKeyExchange
        let lifetime = lifetime(at: site)
        configuration.loginLifetime = .milliseconds(lifetime)
        // Nobody unblocks in a schedule.
        configuration.maximumFailedAttempts = 64
        // One factor lets an answer be sent again by itself; two want the user.
        let (first, second) = site.random.bytes(2).withBytes { ($0[0], $0[1]) }
        if first % 3 == 0 { configuration.login.approval = .oneFactor }
        let versions = PowerAuthVersion.allCases
        let version = versions[Int(second) % versions.count]
        let sdkConfiguration = configuration.applications.first?.sdkConfiguration ?? ""
        let simulator = PowerAuthSimulator(configuration)
        let provider = powerAuthProvider(sdkConfiguration, version)
        return Plugin(
            simulator: simulator, provider: { provider($0) },
            kinds: [.confirm], rightEvidence: [.pin(Secret("1234".utf8))],
            wrongEvidence: [.pin(Secret("0000".utf8))], pushesAreHints: true,
            meetsStrangers: true, lifetime: lifetime,
            listPath: "/api/auth/token/app/operation/list",
            end: { id in
                do throws(PushError) {
                    try await simulator.cancelOperation(id)
                } catch {
                    // It doesn't wait any more.
                }
                _ = await simulator.takePushes()
            },
            usedCounter: { request, body in
                let used = await simulator.usedCounter(by: request, body: body)
                return used.map {
                    UsedCounter(value: "\($0.number) of \($0.activation)", request: $0.nonce)
                }
            },
            errand: { (environment, authenticator, id, number) throws(PushError) in
                guard let provider = provider(environment) else { return "no provider" }
                return try await bankErrand(number, authenticator, provider, id)
            })
    }

    private static func powerAuthProvider(
        _ sdkConfiguration: String, _ version: PowerAuthVersion
    ) -> @Sendable (PushEnvironment) -> PowerAuth? {
        { environment in
            guard let server = try? Endpoint("https://mobile.powerauth.example"),
                var choices = try? PowerAuthConfiguration(
                    sdkConfiguration: sdkConfiguration, enrollmentServer: server)
            else { return nil }
            choices.pinIterations = 1
            choices.version = version
            return PowerAuth(configuration: choices, in: environment)
        }
    }

    /// Unlocks the vault, with a right PIN or a wrong one, or changes the PIN: to the same, so that the
    /// user's stays right whichever of its two records a kill leaves.
    private static func bankErrand(
        _ number: Int, _ authenticator: PushAuthenticator, _ provider: PowerAuth,
        _ id: Enrollment.ID
    ) async throws(PushError) -> String {
        let manager = try PowerAuthManager(authenticator, provider: provider, enrollment: id)
        let pin = Secret("1234".utf8)
        if number < 40 {
            try await manager.changePIN(from: pin, to: pin)
            return "PIN changed"
        }
        let typed = Secret((mistypedErrands.contains(number) ? "0000" : "1234").utf8)
        _ = try await manager.vault.signature(over: Data("contract".utf8), by: .pin(typed))
        return "signed"
    }

    static func privacyIDEA(at site: PluginSite) -> Plugin {
        var configuration = PrivacyIDEASimulator.Configuration(
            clock: site.clock, random: site.random)
        let lifetime = lifetime(at: site)
        configuration.validity = .milliseconds(lifetime)
        configuration.serverKeys = .reusing(RSAPairs.server)
        // 3.9 forgets a no that it said true to.
        let isOld = site.random.bytes(1).withBytes { $0[0] } % 3 == 0
        if isOld { configuration.generation = .v313 }
        let devices = RSAPairs.Devices()
        let simulator = PrivacyIDEASimulator(configuration)
        return Plugin(
            simulator: simulator, provider: { devices.provider(in: $0) },
            kinds: [.confirm, .number], challengeNames: { await simulator.nonces(of: $0) },
            meetsStrangers: true, saysYesTooLate: isOld, lifetime: lifetime,
            refuse: { await simulator.setBlocked($0, user: $1) })
    }

    static func keycloak(at site: PluginSite) -> Plugin {
        // An RSA pair takes longer than a whole schedule.
        var configuration = KeycloakSimulator.Configuration(
            algorithm: .es256, clock: site.clock, random: site.random)
        let lifetime = lifetime(at: site)
        configuration.loginLifetime = .milliseconds(lifetime)
        configuration.maxPendingChallenges = 8
        // The devices of one user come one after the other.
        configuration.askedCredential = .last
        configuration.sendsDate = true
        let first = site.random.bytes(1).withBytes { $0[0] }
        if first % 2 == 0 { configuration.numberCheck = .pin(length: 2) }
        if first % 3 == 0 { configuration.usesRequestURI = true }
        let simulator = KeycloakSimulator(configuration)
        return Plugin(
            simulator: simulator, provider: { keycloak(in: $0) }, kinds: [.confirm, .number],
            // Where its realm's keys can't be had, a push is a hint.
            pushesAreHints: true, meetsStrangers: true, lifetime: lifetime)
    }

    private static func keycloak(in environment: PushEnvironment) -> (any PushProvider)? {
        let realm = try? KeycloakConfiguration.Realm(
            issuer: "https://sso.example/realms/demo", clientID: "push-device-client",
            clientSecret: Secret(copying: "device-client-secret"))
        return realm.map {
            Keycloak(configuration: KeycloakConfiguration(realms: [$0]), in: environment)
        }
    }

    static func xignIn(at site: PluginSite) -> Plugin {
        var configuration = XignInSimulator.Configuration(clock: site.clock, random: site.random)
        let lifetime = lifetime(at: site)
        configuration.processLifetime = .milliseconds(lifetime)
        configuration.lockouts.attempts = nil
        var choices = XignIn.Configuration(wireFormat: OpenReferenceWireFormat())
        choices.pinIterations = 1
        return Plugin(
            simulator: XignInSimulator(configuration),
            provider: { [choices] in XignIn(configuration: choices, in: $0) }, kinds: [.confirm],
            rightEvidence: [.pin(Secret("1234".utf8))], wrongEvidence: [.pin(Secret("0000".utf8))],
            meetsStrangers: true, lifetime: lifetime)
    }

    static func oneSpan(at site: PluginSite) -> Plugin {
        var configuration = OneSpanSimulator.Configuration(clock: site.clock, random: site.random)
        let lifetime = lifetime(at: site)
        configuration.sessionTimeout = .milliseconds(lifetime)
        configuration.wrongResponsesBeforeLock = .max
        configuration.confirmMethod = .password
        let simulator = OneSpanSimulator(configuration)
        return Plugin(
            simulator: simulator, provider: { oneSpan(simulator, in: $0) }, kinds: [.confirm],
            rightEvidence: [.pin(Secret("1234".utf8))], wrongEvidence: [.pin(Secret("0000".utf8))],
            meetsStrangers: true, lifetime: lifetime)
    }

    private static func oneSpan(
        _ simulator: OneSpanSimulator, in environment: PushEnvironment
    ) -> (any PushProvider)? {
        guard
            let engine = try? OpenReferenceEngine.Configuration(
                domain: simulator.domain, serverKeys: [simulator.serverKey], pbkdf2Iterations: 1),
            let commands = try? Endpoint("https://app.example.com/commands")
        else { return nil }
        return OneSpan(
            engine: OpenReferenceEngine(engine, in: environment),
            relay: HTTPCommandRelay(commands, in: environment),
            configuration: .init(identifiers: OpenNotificationIdentifiers()), in: environment)
    }
}
