import PushCore
import PushOneSpan
import PushTesting

/// Answers the stand-in's commands as a server would.
actor StandInRelay: OrchestrationCommandRelay {
    private let binary = Binary()
    private(set) var sent: [Binary.Verb] = []
    private var reply: OrchestrationCommand?
    private var fetched = Binary.Verb.display("alice#example.com")
    private var refusesFetches = false
    private var gate: Gate?

    /// How many requests were fetched.
    var fetches: Int { sent.count { $0 == .fetch } }

    /// Answers everything by this from now on; `nil`: as a server would.
    func answer(by reply: OrchestrationCommand?) { self.reply = reply }

    /// Says that each request that is fetched is over.
    func end() { fetched = .over }

    /// Knows no request any more.
    func refuseFetches(_ refuses: Bool = true) { refusesFetches = refuses }

    /// Keeps replies back until a gate opens.
    func hold(at gate: Gate?) { self.gate = gate }

    func exchange(
        _ command: OrchestrationCommand, correlation: FlowID
    ) async throws(PushError) -> OrchestrationCommand {
        let message: Binary.Message
        do throws(OrchestrationError) {
            message = try binary.read(command)
        } catch {
            throw error.pushError
        }
        sent.append(message.verb)
        await gate?.pass()
        if let reply { return reply }
        let verb: Binary.Verb
        switch message.verb {
        case .activate(let round): verb = .activated(round)
        case .register: verb = .registered
        case .fetch where refusesFetches:
            throw PushError(.interrupted, "The reply holds no command.")
        case .fetch: verb = fetched
        case .answer(let approved): verb = approved ? .accepted : .refused
        default: throw PushError(.server(status: 400), "Not for the server.")
        }
        do throws(OrchestrationError) {
            return try binary.write(.init(verb: verb, flow: message.flow))
        } catch {
            throw error.pushError
        }
    }
}
