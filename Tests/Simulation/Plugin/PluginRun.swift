import HTTPTypes
import PushCore
import PushTesting

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A world whose vendor is a plugin with its simulator: what the app is told is compared with what
/// the login pages show in the end.
///
/// `@unchecked Sendable` is safe for the same reason as ``SimulatedRun``'s: one thread touches it.
final class PluginRun: SimulatedRun, @unchecked Sendable {
    struct Login {
        let login: SimulatedLogin
        let user: String
        let kind: SimulatedLogin.Kind
        /// When it began, in milliseconds.
        let start: Int
        /// What the server calls its challenges.
        let names: [String]
        var challenge: Challenge.ID?
        var status = SimulatedLogin.Status.waiting
    }

    private(set) var plugin: Plugin
    var logins: [Login] = []
    /// The pushes that were sent, with the login each announces.
    var pushes: [(payload: JSON, login: Int)] = []
    var users: [String] = []
    /// Whether the server is starting a login.
    var isAsking = false
    /// What the user chose, and what the app heard of it.
    var decisions: [Challenge.ID: [Resolution]] = [:]
    var delivered: [Challenge.ID: Set<Resolution>] = [:]
    /// Challenges of which the network may have brought a copy that the device didn't send: its
    /// server then says no to what it has.
    var copied: Set<Challenge.ID> = []
    var removed: Set<Enrollment.ID> = []
    /// Whom the server refuses, and how long yet.
    var refusing: [String: Int] = [:]
    /// Which request was signed with a value of a counter.
    private var signed: [String: String] = [:]
    var final: (enrollments: [Enrollment], records: [ChallengeRecord])?

    init(
        _ makePlugin: (PluginSite) -> Plugin, seed: UInt64, mutation: Mutation?, tracing: Bool
    ) {
        let clock = ServerClock()
        let random = ServerRandom(seed: seed)
        plugin = makePlugin(PluginSite(clock: clock, random: random))
        super.init(seed: seed, draw: Draw(seed: seed), mutation: mutation, tracing: tracing)
        clock.world = self
    }

    override func play() { playSchedule() }

    override func providers(in environment: PushEnvironment) -> [any PushProvider] {
        guard let provider = plugin.provider(environment) else { return [] }
        return [
            mutation.map {
                MutatedProvider(base: provider, mutation: $0, environment: environment)
            } ?? provider
        ]
    }

    override func question(in exchange: Exchange) -> String? {
        plugin.listPath.flatMap { exchange.path.hasSuffix($0) ? $0 : nil }
    }

    override var askers: Int { max(1, users.count) }

    /// The login of a challenge that certainly waits for its answer.
    func waiting(_ id: Challenge.ID) -> Login? {
        logins.first { login in
            login.challenge == id && login.status == .waiting
                && elapsed - login.start < plugin.lifetime - 5000
        }
    }

    override func noteEnd(_ withdrawal: Withdrawal) {
        guard withdrawal.reason == .expired, let login = waiting(withdrawal.id) else { return }
        violate(.found, "\(login.login.id) is said to have expired too early")
    }

    override func mayBeForgotten(_ id: Challenge.ID) -> Bool {
        guard settings.forgetsSoon, let login = logins.first(where: { $0.challenge == id }) else {
            return false
        }
        return login.start + plugin.lifetime + 600_000 <= elapsed
    }

    override func respond(to exchange: Exchange, _ copy: Copy) async -> Reply {
        for (user, end) in refusing.sorted(by: { $0.key < $1.key }) {
            let isRefusing = elapsed < end && !isHealed
            await plugin.refuse?(isRefusing, user)
            if !isRefusing { refusing[user] = nil }
        }
        let reply = await plugin.simulator.respond(to: exchange.request, body: exchange.body)
        await watch()
        if let used = await plugin.usedCounter?(exchange.request, exchange.body) {
            let other = signed.updateValue(used.request, forKey: used.value)
            if let other, other != used.request {
                violate(.counters, "two requests were signed with number \(used.value)")
            }
        }
        if copy != .first { copied.formUnion(decisions.keys) }
        return reply
    }

    /// Looks at every login page: a server may forget later what it was told.
    func watch() async {
        for index in logins.indices {
            let id = logins[index].login.id
            guard let status = try? await plugin.simulator.status(of: id) else { continue }
            switch (logins[index].status, status) {
            case (.approved, .denied), (.denied, .approved):
                violate(.oneDecision, "\(id) was \(logins[index].status), then \(status)")
            case (.waiting, _): logins[index].status = status
            default: break
            }
        }
    }

    override var evidence: (right: [Evidence], wrong: [Evidence]) {
        (plugin.rightEvidence, plugin.wrongEvidence)
    }

    override func resolution(of intent: Intent, for challenge: Challenge) -> Resolution {
        matchNames([challenge.id])
        let shown = logins.first { $0.challenge == challenge.id }?.login.shown
        return switch (intent, challenge.prompt) {
        case (.deny, _), (_, .denyOnly): .deny(.unexpected)
        case (.denyAsFraud, _): .deny(.fraud)
        case (.wrongNumber, .choose(let numbers)):
            .choose(numbers.first { $0 != shown } ?? "")
        case (_, .choose): .choose(shown ?? "")
        case (.wrongNumber, .enter): .enter(shown == "11" ? "12" : "11")
        case (_, .enter): .enter(shown ?? "")
        default: .approve
        }
    }

    /// Of what only TLS protects, a flipped bit may be a date: what waits then may be forgotten.
    override func corrupted(_ exchange: Exchange) {
        guard plugin.pushesAreHints, exchange.path.contains("/operation/") else { return }
        spoiled.formUnion(logins.map(\.login.id))
    }

    /// A push that is a hint leads to whatever waits, whoever sent it; to nothing else.
    override func isBelieved(_ receptions: [Reception]) -> Bool {
        guard plugin.pushesAreHints else { return super.isBelieved(receptions) }
        return receptions.contains { reception in
            guard let name = reception.challenge?.name else { return false }
            return !logins.contains { $0.login.id == name }
        }
    }

    override func received(_ receptions: [Reception], from push: JSON) {
        guard !plugin.pushesAreHints else { return matchNames(receptions.compactMap(\.challenge)) }
        guard let sent = pushes.first(where: { $0.payload == push }) else { return }
        for reception in receptions {
            guard case .notice(let notice, _) = reception.kind else { continue }
            if let known = logins[sent.login].challenge, known != notice.id {
                violate(.seenOnce, "one login is two challenges: \(known.name), \(notice.id.name)")
            }
            logins[sent.login].challenge = notice.id
        }
    }

    /// Finds the logins of challenges that a list may have brought without a push.
    func matchNames(_ challenges: [Challenge.ID]) {
        for id in challenges {
            for index in logins.indices where logins[index].names.contains(id.name) {
                logins[index].challenge = id
            }
        }
    }

    override func decided(_ resolution: Resolution, on id: Challenge.ID) {
        decisions[id, default: []].append(resolution)
    }

    override func judge(_ outcome: Outcome, of resolution: Resolution, on id: Challenge.ID) {
        switch outcome {
        case .delivered: break
        case .expired, .answeredElsewhere, .cancelled:
            guard !removed.contains(id.enrollment), let login = waiting(id) else { return }
            return violate(.trueWords, "\(login.login.id) waits, and is said to be \(outcome)")
        case .notTaken(let refusal) where refusal.mayRetry && decisions[id]?.count == 1:
            guard let login = logins.first(where: { $0.challenge == id }),
                isTaken(login, by: [resolution])
            else { return }
            return violate(.trueWords, "\(id.name) is \(login.status), and said to be open")
        case .notTaken, .code, .ended, .verifyAgain, .unknown: return
        }
        delivered[id, default: []].insert(resolution)
        if let all = delivered[id], all.count > 1 {
            violate(.oneDecision, "\(id.name): the server took \(all.count) decisions")
        }
    }

    override func explains(_ error: PushError, of call: String) -> Bool {
        switch error.code {
        // A reply that the network spoiled, and what isn't there yet when the app asks for it.
        case .malformed, .missingDeviceToken, .unsupported, .oversizedReply, .alreadyEnrolled,
            .blocked:
            true
        // Another process has used up the choices, so the provider offers none any more. The core's own
        // word, that the choice isn't on the prompt, names no provider and is no excuse.
        case .invalidResolution: error.provider != nil
        // A PIN that the user mistyped.
        case .notTaken(let refusal):
            call.hasPrefix("remove") || Self.explains(refusal, ofErrand: call)
        default: super.explains(error, of: call)
        }
    }

    /// Whether an errand may be refused: for a PIN that the user mistyped, and for no right one; or
    /// because a lost reply had parted the counters, and then it may be tried again.
    private static func explains(_ refusal: Outcome.Refusal, ofErrand call: String) -> Bool {
        let words = call.split(separator: " ")
        guard words.first == "errand", let number = words.dropFirst().first.flatMap({ Int($0) })
        else { return false }
        return switch refusal.reason {
        case .verification: Plugin.mistypedErrands.contains(number)
        case .stateChanged: refusal.mayRetry
        case .wrongChoice, .wrongChoiceOrOver, .unavailable, .other: false
        }
    }
}

/// The server's clock.
///
/// `@unchecked Sendable` is safe for the same reason as ``SimulatedRun``'s: one thread touches it.
private final class ServerClock: PushClock, @unchecked Sendable {
    unowned var world: SimulatedRun?
    let serverTime = ServerTime()

    var now: Date { Date(timeIntervalSince1970: Double(world?.serverNow ?? 0) / 1000) }
    var elapsed: Duration { .milliseconds(world?.elapsed ?? 0) }
}

/// The server's own chance: its simulator draws before there is a world.
///
/// `@unchecked Sendable` is safe for the same reason as ``SimulatedRun``'s: one thread touches it.
private final class ServerRandom: RandomSource, @unchecked Sendable {
    private var draw: Draw

    init(seed: UInt64) { draw = Draw(seed: ~seed) }

    func fill(_ buffer: UnsafeMutableRawBufferPointer) {
        for index in buffer.indices { buffer[index] = UInt8(truncatingIfNeeded: draw.next()) }
    }
}
