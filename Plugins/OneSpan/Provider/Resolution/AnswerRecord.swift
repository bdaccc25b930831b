import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// An answer as the ledger keeps it: the sealed command, and what it says.
///
/// The command holds no proof of the password that could be tested offline: it is sealed to the
/// server's key as well.
struct AnswerRecord {
    let command: OrchestrationCommand
    let isApproved: Bool

    init(command: OrchestrationCommand, isApproved: Bool) {
        self.command = command
        self.isApproved = isApproved
    }

    init(_ answer: Answer) throws(PushError) {
        let json = try answer.bytes.withBytes { (bytes) throws(PushError) in
            try JSON(parsing: bytes)
        }
        guard let text = json["command"]?.string, let isApproved = json["approved"]?.bool else {
            throw PushError(.malformed, "A kept answer is damaged.")
        }
        command = try OrchestrationCommand(text)
        self.isApproved = isApproved
    }

    var answer: Answer {
        let json: JSON = ["approved": .bool(isApproved), "command": .string(command.hex)]
        return Answer(Secret(json.utf8), kept: .whole)
    }
}
