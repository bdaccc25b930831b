import HTTPTypes
import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A world whose vendor is the fictional Delta, of a kind that the schedule draws. Its server sees
/// everything, so every promise is judged by what really happened.
///
/// `@unchecked Sendable` is safe for the same reason as ``SimulatedRun``'s: one thread touches it.
final class DeltaRun: SimulatedRun, @unchecked Sendable {
    let server: DeltaServer
    var pushes: [JSON] = []
    var final = Final()
    /// What was over when a device asked last: it can't know of what ran out since.
    var overAtLastPoll: Set<String> = []

    init(seed: UInt64, mutation: Mutation?, tracing: Bool) {
        var draw = Draw(seed: seed)
        let options = DeltaOptions(drawing: &draw)
        server = DeltaServer(options)
        super.init(seed: seed, draw: draw, mutation: mutation, tracing: tracing)
        server.now = { [unowned self] in serverNow }
        server.mayOvertake = settings.processes > 1
        server.count = { [unowned self] in tally.count($0) }
        server.recorded = { [unowned self] in recordedChoice($0) }
        server.isBusy = { [unowned self] in !isHealed && draw.percent(50) }
        note("\(options)")
    }

    override func play() { playSchedule() }

    override func providers(in environment: Environment) -> [any PushProvider] {
        server.options.providers.map { id, services in
            Delta(
                id: id, pushServices: services, options: server.options,
                environment: environment.scoped(to: id), mutation: mutation)
        }
    }

    override var services: [PushService] { server.options.hasTwoServices ? [.fcm, .apns] : [.fcm] }

    override func respond(to exchange: Exchange, _ copy: Copy) async -> Reply {
        if copy == .late, let answer = answer(in: exchange),
            let index = server.delayed.firstIndex(where: { $0 == answer })
        {
            server.delayed.remove(at: index)
        }
        let mac = DeltaWire.macField.flatMap { exchange.request.headerFields[$0] }
        return server.respond(
            to: exchange.path, exchange.body, mac: mac ?? "", copy, transmission: exchange.number)
    }

    override func heardLie(_ seconds: Int, in life: Life) async {
        guard mutation == .notesLiesTwice else { return }
        let lie = Date(timeIntervalSince1970: Double(seconds))
        let now = Duration.milliseconds(elapsed)
        for (id, _) in server.options.providers {
            let name = ServerID(host: DeltaWire.host, of: id)
            await life.serverTime.note(lie, at: name, sent: now, received: now)
        }
    }

    /// Of a question that is repeated for its number nobody can tell that it is one.
    override func question(in exchange: Exchange) -> String? {
        guard exchange.path == "/pending" else { return nil }
        return (try? JSON(parsing: exchange.body))?["e"]?.string
    }

    override func delayed(_ exchange: Exchange) {
        if let answer = answer(in: exchange) { server.delayed.append(answer) }
    }

    override func challenge(answeredBy exchange: Exchange) -> String? {
        answer(in: exchange)?.challenge
    }

    private func answer(in exchange: Exchange) -> DeltaServer.Delayed? {
        guard exchange.path == "/answer", let json = try? JSON(parsing: exchange.body),
            let inner = try? JSON(parsing: json["a"]?.string ?? ""),
            let challenge = inner["c"]?.string, let choice = inner["choice"]?.string
        else { return nil }
        let isNumberRight = !choice.hasPrefix("number:") || choice == "number:\(DeltaWire.right)"
        return DeltaServer.Delayed(
            challenge: challenge, choice: choice,
            isRight: isNumberRight && inner["pin"]?.string != DeltaWire.wrongPIN)
    }

    override func resolution(of intent: Intent, for challenge: Challenge) -> Resolution {
        switch (intent, challenge.prompt) {
        case (.deny, _): .deny(.unexpected)
        case (.denyAsFraud, _): .deny(.fraud)
        case (.wrongNumber, .choose): .choose("12")
        case (_, .choose): .choose(DeltaWire.right)
        default: .approve
        }
    }

    override func judge(_ outcome: Outcome, of resolution: Resolution, on id: Challenge.ID) {
        compare(outcome, of: DeltaWire.choice(resolution), on: id.name)
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

    /// Whether a challenge expired so long ago that nobody need know of it: ten minutes.
    func mayBeForgotten(_ challenge: DeltaServer.Asked) -> Bool {
        guard settings.forgetsSoon, let expiry = challenge.expiry else { return false }
        return isMisled(challenge.enrollment) || expiry + 600_000 <= server.now()
    }

    /// Whether an enrollment's own key signed times that two readings agree on, and that are wrong:
    /// that it is misled then is its vendor's fault alone.
    func isMisled(_ enrollment: String) -> Bool {
        guard let index = server.index(of: enrollment) else { return false }
        let far = server.enrolled[index].farPushes
        return far > 1 || far == 1 && lies > 0
    }

    override var evidence: (right: [Evidence], wrong: [Evidence]) {
        let pins = [DeltaWire.pin, DeltaWire.wrongPIN].map { Evidence.pin(Secret($0.utf8)) }
        return ([pins[0]], [pins[1]])
    }
}
