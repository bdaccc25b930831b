import HTTPTypes
import PushCore

@testable import FictionalVendor

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A world whose vendor is the fictional Acme, of a kind that the schedule draws. Its server sees
/// everything, so every promise is judged by what really happened.
///
/// `@unchecked Sendable` is safe for the same reason as ``SimulatedRun``'s: one thread touches it.
final class AcmeRun: SimulatedRun, @unchecked Sendable {
    let server: WatchedServer
    /// The providers on the device, and the push services that each takes, most preferred first.
    let vendors: [(id: ProviderID, services: [DeviceToken.Service])]
    var pushes: [JSON] = []
    var final = Final()
    /// What was over when a device asked last: it can't know of what ran out since.
    var overAtLastPoll: Set<String> = []
    /// The enrollments of which a process was told that they are removed.
    var removed: Set<Enrollment.ID> = []
    /// When the server asked, by its clock.
    var askedAt: [String: Int] = [:]

    init(seed: UInt64, mutation: Mutation?, tracing: Bool) {
        var draw = Draw(seed: seed)
        let options = Acme.Options(drawing: &draw)
        server = WatchedServer(options)
        vendors =
            draw.percent(30)
            ? [("acme", [.fcm]), ("acme/two", [.apns, .fcm])] : [("acme", [.fcm])]
        super.init(seed: seed, draw: draw, mutation: mutation, tracing: tracing)
        server.now = { [unowned self] in serverNow }
        server.mayOvertake = settings.processes > 1
        server.count = { [unowned self] in tally.count($0) }
        server.recorded = { [unowned self] in recordedChoice($0, like: $1) }
        server.isBusy = { [unowned self] in !isHealed && draw.percent(50) }
        note("\(options)")
    }

    override func play() { playSchedule() }

    override func providers(in environment: PushEnvironment) -> [any PushProvider] {
        vendors.map { id, services in
            var options = server.options
            options.services = services
            switch mutation {
            case .believesAnything: options.flaw = .believesAnything
            case .forgetsCounters: options.flaw = .forgetsCounters
            case .altersDecisions: options.flaw = .altersDecisions
            case .enrollsUnwritten: options.isTwoPhase = false
            default: break
            }
            let acme = Acme(id, options, in: environment)
            return mutation.map {
                MutatedProvider(base: acme, mutation: $0, environment: environment)
            } ?? acme
        }
    }

    override var services: [DeviceToken.Service] { vendors.count > 1 ? [.fcm, .apns] : [.fcm] }

    override func respond(to exchange: Exchange, _ copy: Copy) async -> Reply {
        if copy == .late, let answer = answer(in: exchange),
            let index = server.delayed.firstIndex(where: { $0 == answer })
        {
            server.delayed.remove(at: index)
        }
        return server.respond(to: exchange, copy)
    }

    override func heardLie(_ seconds: Int, in life: Life) async {
        guard mutation == .notesLiesTwice else { return }
        let lie = Date(timeIntervalSince1970: Double(seconds))
        let now = Duration.milliseconds(elapsed)
        for (id, _) in vendors {
            let name = Endpoint.ServerID(host: Acme.host(of: id), of: id)
            await life.serverTime.note(lie, at: name, sent: now, received: now)
        }
    }

    /// Of a question that is repeated for its number nobody can tell that it is one.
    override func question(in exchange: Exchange) -> String? {
        guard exchange.path == "/pending" else { return nil }
        return (try? JSON(parsing: exchange.body))?["account"]?.string
    }

    override func delayed(_ exchange: Exchange) {
        if let answer = answer(in: exchange) { server.delayed.append(answer) }
    }

    override func challenge(answeredBy exchange: Exchange) -> String? {
        answer(in: exchange)?.challenge
    }

    private func answer(in exchange: Exchange) -> WatchedServer.Delayed? {
        guard exchange.path == "/answer", let json = try? JSON(parsing: exchange.body),
            let inner = try? JSON(parsing: json["answer"]?.string ?? ""),
            let challenge = inner["id"]?.string, let choice = inner["choice"]?.string
        else { return nil }
        let isNumberRight = !choice.hasPrefix("number:") || choice == "number:\(AcmeWire.right)"
        return WatchedServer.Delayed(
            challenge: challenge, choice: choice,
            isRight: isNumberRight && inner["pin"]?.string != AcmeWire.wrongPIN)
    }

    override func resolution(of intent: Intent, for challenge: Challenge) -> Resolution {
        switch (intent, challenge.prompt) {
        case (.deny, _): .deny(.unexpected)
        case (.denyAsFraud, _): .deny(.fraud)
        case (.wrongNumber, .choose): .choose("12")
        case (_, .choose): .choose(AcmeWire.right)
        default: .approve
        }
    }

    override func judge(_ outcome: Outcome, of resolution: Resolution, on id: Challenge.ID) {
        compare(outcome, of: AcmeWire.choice(resolution), on: id.name)
    }

    /// A forged hint leads to whatever waits, and to nothing else.
    override func isBelieved(_ receptions: [Reception]) -> Bool {
        guard server.options.pushesHints else { return super.isBelieved(receptions) }
        return receptions.contains { reception in
            reception.challenge.map { server.challenge($0.name) == nil } ?? true
        }
    }

    override func noteEnd(_ withdrawal: Withdrawal) {
        guard withdrawal.reason == .expired, let challenge = server.challenge(withdrawal.id.name),
            server.isOpen(challenge), !isMisled(challenge.enrollment)
        else { return }
        violate(.found, "\(challenge.name) is said to have expired too early")
    }

    override func mayBeForgotten(_ id: Challenge.ID) -> Bool {
        server.challenge(id.name).map(mayBeForgotten) ?? false
    }

    /// Whether a challenge expired so long ago that nobody need know of it: ten minutes. One
    /// without an end gets one when only a trace is left of it, ten minutes later.
    func mayBeForgotten(_ challenge: WatchedServer.Asked) -> Bool {
        guard settings.forgetsSoon, challenge.expiry != nil || settings.rows < 16 else {
            return false
        }
        let end = challenge.expiry ?? askedAt[challenge.name, default: serverNow] + 600_000
        return isMisled(challenge.enrollment) || end + 600_000 <= serverNow
    }

    /// Whether an enrollment's own key signed times that two readings agree on, and that are wrong:
    /// that it is misled then is its vendor's fault alone.
    func isMisled(_ enrollment: String) -> Bool {
        let far = server.farPushes[enrollment, default: 0]
        return far > 1 || far == 1 && lies > 0
    }

    override var evidence: (right: [Evidence], wrong: [Evidence]) {
        let pins = [AcmeWire.pin, AcmeWire.wrongPIN].map { Evidence.pin(Secret($0.utf8)) }
        return ([pins[0]], [pins[1]])
    }
}
