import HTTPTypes
import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension OneSpanSimulator {
    /// Which of the platform's two services for commands the customer's server calls.
    @nonexhaustive
    public enum CommandService: String, Hashable, Sendable, CaseIterable {
        /// The first one, whose error handling OneSpan has deprecated: errors have `command` and
        /// `message` alone. That it uses the same status is this project's choice.
        case legacy = "orchestration-commands"
        /// The one of the Trusted Device microservice: errors are a `TrustedDeviceErrorOutputDto`.
        case v2 = "orchestration-commands-v2"
    }
}

/// The services for commands, and the customer's server that calls them.
extension OneSpanSimulator {
    /// The customer's application server: hands a command to the platform, and its reply back.
    func relay(_ body: Data) async -> ServiceReply {
        let fault = relayFaults.isEmpty ? nil : relayFaults.removeFirst()
        if case .fail(let status) = fault { return .failure(status, "Not relayed.") }
        let reply = await orchestrate(body, configuration.commandService)
        switch fault {
        case .failAfterwards(let status): return .failure(status, "The reply is lost.")
        case .delay(let duration): await configuration.clock.sleep(for: duration)
        default: break
        }
        let isStripped = configuration.stripsErrorBodies || fault == .stripErrorBody
        return isStripped && reply.status != .ok ? ServiceReply(reply.status.code, nil) : reply
    }

    /// `POST /v1/orchestration-commands` and `-v2`.
    func orchestrate(_ body: Data, _ service: CommandService) async -> ServiceReply {
        guard let text = (try? JSON(parsing: body))?["command"]?.string else {
            let reply = clear(.invalidInput, answering: nil)
            return self.reply(reply, service, validationErrors: ["command: missing or no text"])
        }
        let fault = replyFaults.isEmpty ? nil : replyFaults.removeFirst()
        bodyFault = fault
        let reply = execute([UInt8](hex: text))
        bodyFault = nil
        let previous = previousReply
        previousReply = reply
        switch fault {
        case .corrupt(let bit):
            var bytes = reply.command
            bytes.turn(bit: bit)
            return self.reply(CommandReply(command: bytes, refusal: reply.refusal), service)
        case .hold:
            await withCheckedContinuation { continuation in
                heldReplies.append(continuation)
                for watcher in holdWatchers { watcher.resume() }
                holdWatchers = []
            }
        case .lose: return .failure(504, "The reply is lost.")
        case .previous: return self.reply(previous ?? reply, service)
        case .clearError(let code):
            let forged = CommandRefusal(code, "forged error")
            let command = [UInt8](hex: text).flatMap { ReceivedCommand($0) }
            return self.reply(clear(forged, answering: command), service)
        default: break
        }
        return self.reply(reply, service)
    }

    private func reply(
        _ reply: CommandReply, _ service: CommandService, validationErrors: [JSON] = []
    ) -> ServiceReply {
        var members: JSON.Object = ["command": .string(reply.command.hex)]
        guard let refusal = reply.refusal else { return ServiceReply(200, .object(members)) }
        members["message"] = .string(refusal.message)
        guard service == .v2 else { return ServiceReply(refusal.status, .object(members)) }
        members["errorCategory"] = .string(refusal.category)
        members["errorCode"] = .number(JSON.Number(Int64(refusal.code)))
        members["service"] = "trusted-device"
        members["logCorrelationId"] = .string(nextCorrelation())
        members["timestamp"] = .string(configuration.clock.now.formatted(.iso8601))
        if !validationErrors.isEmpty { members["validationErrors"] = .array(validationErrors) }
        return ServiceReply(refusal.status, .object(members))
    }
}
