import PushCore
import PushTesting

@testable import FictionalVendor

/// One life of a process, from its start until it is killed. It belongs to its schedule.
final class ScheduledLife {
    /// A flow of the process that stands before a step.
    private typealias Flow = (point: SchedulePoint, go: CheckedContinuation<ScheduleEvent?, Never>)

    let name: String
    private let clock: ScheduledClock
    private let authenticator: PushAuthenticator
    /// What the user has opened.
    private var opened: [String: Challenge] = [:]
    private(set) var isAlive = true
    /// Whether it does what it was asked to do.
    private var isActing = false
    private var flows: [Flow] = []
    /// What comes back when the schedule is over.
    private var graves: [CheckedContinuation<Void, Never>] = []
    /// Who waits until the process stands before a step, has done what it was asked, or is dead.
    private var driver: CheckedContinuation<Void, Never>?

    /// Whether the flow that renews a lease is running, and whether it can begin.
    private(set) var isRenewing = false
    private(set) var canRenew = true

    /// Starts a process.
    ///
    /// - Parameters:
    ///   - name: Its name among those that share the store.
    ///   - store: Its way to the store.
    ///   - transport: Its way to the vendor.
    ///   - time: What all clocks show.
    ///   - options: Its vendor's plugin.
    /// - Throws: What making an authenticator throws.
    init(
        _ name: String, _ store: any CredentialStore, _ transport: any Transport,
        _ time: ManualClock, _ options: Acme.Options
    ) throws {
        self.name = name
        clock = ScheduledClock(time: time)
        let environment = PushEnvironment(
            transport: transport, store: store, verifier: ScriptedVerifier.willing(), clock: clock,
            random: SeededRandom(seed: 1), device: Device(name: "test"))
        var configuration = AuthenticatorHarness.quiet
        configuration.instance = name
        configuration.lease = Scenario.lease
        authenticator = PushAuthenticator(
            try PluginRegistry([Acme("acme", options, in: environment)]), in: environment,
            configuration: configuration)
    }

    /// Whether there is something left that it does.
    var isBusy: Bool { isActing && isAlive }

    /// The step that it stands before.
    var point: SchedulePoint? { flows.last?.point }

    // MARK: What its schedule does with it

    /// Lets it begin, until it stands before its first step.
    ///
    /// - Parameter start: Starts what it is asked to do.
    func begin(_ start: () -> Void) async {
        isActing = true
        await drive(start)
    }

    /// It has done what it was asked.
    func end() {
        isActing = false
        letDriverGo()
    }

    /// Lets it make its next step, until it stands before another.
    func go(_ event: ScheduleEvent) async {
        guard !flows.isEmpty else { return }
        await drive { flows.removeLast().go.resume(returning: event) }
    }

    /// Lets half of its lease pass, until it stands before the step that renews it.
    func beginRenewing() async {
        await clock.keepers.sleeper()
        isRenewing = true
        await drive { clock.keepers.advance(by: Scenario.lease / 2) }
    }

    /// It makes no other step to renew its lease now.
    ///
    /// - Parameter canRenew: Whether it can do so again.
    func endRenewing(canRenew: Bool) {
        self.canRenew = canRenew
        isRenewing = false
        letDriverGo()
    }

    /// It does nothing from now on, and nothing that it has called returns.
    func kill() {
        isAlive = false
        letDriverGo()
    }

    /// Lets everything end that still waits: nothing has an effect any more.
    func bury() {
        isAlive = false
        for flow in flows { flow.go.resume(returning: nil) }
        for grave in graves { grave.resume() }
        (flows, graves) = ([], [])
    }

    private func drive(_ body: () -> Void) async {
        await withCheckedContinuation { driver in
            self.driver = driver
            body()
        }
    }

    private func letDriverGo() {
        let driver = driver
        self.driver = nil
        driver?.resume()
    }

    // MARK: What it does

    /// Stands before a step until its turn comes.
    ///
    /// - Returns: What becomes of the step; `nil` once the schedule is over.
    func stand(before point: SchedulePoint) async -> ScheduleEvent? {
        guard isAlive else {
            await rest()
            return nil
        }
        return await withCheckedContinuation { go in
            flows.append((point, go))
            letDriverGo()
        }
    }

    /// Waits until the schedule is over.
    func rest() async {
        await withCheckedContinuation { graves.append($0) }
    }

    /// Does what an app would.
    ///
    /// - Returns: What the app is told of its user's decision; `nil` if it made none.
    func act(
        _ action: Scenario.Action, prompt: String
    ) async -> (outcome: Outcome, challenge: String, resolution: Resolution)? {
        // The user sees that something failed, and goes on.
        switch action {
        case .receive(let name):
            _ = try? await authenticator.receive(AcmeWire.ask(name, prompt: prompt))
        case .open(let name):
            opened[name] = try? await authenticator.challenge(.ada(name))
        case .answer(let name, .deny(let reason)):
            let outcome = try? await authenticator.deny(.ada(name), reason)
            return outcome.map { ($0, name, .deny(reason)) }
        case .answer(let name, let resolution):
            if opened[name] == nil { opened[name] = try? await authenticator.challenge(.ada(name)) }
            guard let challenge = opened[name] else { return nil }
            let outcome = try? await authenticator.resolve(challenge, with: resolution)
            return outcome.map { ($0, name, resolution) }
        case .resume: _ = try? await authenticator.resume()
        }
        return nil
    }
}
