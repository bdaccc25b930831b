import PushCore
import PushPowerAuth
import PushPowerAuthSimulator
import PushTesting

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Vendor {
    /// PowerAuth of any version, with one factor or two.
    public static let powerAuth = Vendor("powerAuth") { site in
        var configuration = PowerAuthSimulator.Configuration(
            clock: site.clock, random: site.random)
        configuration.invitation.commitPhase = .onKeyExchange
        let lifetime = site.drawnLifetime()
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
            wrongEvidence: [.pin(Secret("0000".utf8))], pushesAreHints: true, lifetime: lifetime,
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
                    .init(value: "\($0.number) of \($0.activation)", request: $0.nonce)
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
        let typed = Secret((Plugin.mistypedErrands.contains(number) ? "0000" : "1234").utf8)
        _ = try await manager.vault.signature(over: Data("contract".utf8), by: .pin(typed))
        return "signed"
    }
}
