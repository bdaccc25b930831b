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
/// `@unchecked Sendable` is safe for the same reason as ``World``'s: one thread touches it.
final class DeltaWorld: World, @unchecked Sendable {
    let server: DeltaServer
    var pushes: [JSON] = []
    var final = Final()

    init(seed: UInt64, mutation: Mutation?, tracing: Bool) {
        var draw = Draw(seed: seed)
        let options = DeltaOptions(drawing: &draw)
        server = DeltaServer(options)
        super.init(seed: seed, draw: draw, mutation: mutation, tracing: tracing)
        server.now = { [unowned self] in serverNow }
        server.mayOvertake = settings.processes > 1
        server.count = { [unowned self] in tally.count($0) }
        server.recorded = { [unowned self] in recordedChoice($0, of: $1) }
        note("\(options)")
    }

    override func play() { playSchedule() }

    override func provider(in environment: Environment) -> (any PushProvider)? {
        Delta(
            options: server.options, environment: environment.scoped(to: "delta"),
            mutation: mutation)
    }

    override func respond(to exchange: Exchange, _ copy: Copy) async -> Reply {
        let mac = DeltaWire.macField.flatMap { exchange.request.headerFields[$0] }
        return server.respond(
            to: exchange.path, exchange.body, mac: mac ?? "", copy, transmission: exchange.number)
    }

    override func challenge(answeredBy exchange: Exchange) -> String? {
        guard exchange.path == "/answer", let json = try? JSON(parsing: exchange.body),
            let inner = json["a"]?.string
        else { return nil }
        return (try? JSON(parsing: inner))?["c"]?.string
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

    override var evidence: (right: [Evidence], wrong: [Evidence]) {
        let pins = [DeltaWire.pin, DeltaWire.wrongPIN].map { Evidence.pin(Secret($0.utf8)) }
        return ([pins[0]], [pins[1]])
    }
}
