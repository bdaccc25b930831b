import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The plugin's half of an enrollment's record.
struct XignInRecord {
    /// How many answers wait for a verdict at the most; more never do, but for records that nobody
    /// cleared.
    private static let greatestAnswerCount = 32

    /// What the wire format keeps.
    var format: Secret

    /// The hash of the link that asked for an activation; `nil` once there is one.
    var link: String?

    /// Answers without a verdict, by process, oldest first: what may be kept of them.
    private(set) var answers: [Kept] = []

    /// An answer that waits for a verdict.
    struct Kept {
        let process: String
        /// When the process ends, by the manager's clock.
        let expiry: Date
        /// What may be kept of it.
        let answer: Secret
        /// Whether another answer of this device may have reached the manager before.
        let isRemade: Bool
    }

    init(format: Secret, link: String) {
        self.format = format
        self.link = link
    }

    init(reading sealed: Secret) throws(PushError) {
        let record = try SecretRecord(reading: sealed)
        let processes = record.fields["answers"]?.array ?? []
        guard let format = record.secrets.first, record.secrets.count == processes.count + 1 else {
            throw PushError(.malformed, "The credential is damaged.")
        }
        self.format = format
        link = record.fields["link"]?.string
        for (process, answer) in zip(processes, record.secrets.dropFirst()) {
            let fields = Claims(process.object ?? [:])
            answers.append(
                Kept(
                    process: try fields.text("process"), expiry: try fields.date("expiry"),
                    answer: answer, isRemade: fields.members["remade"] == true))
        }
    }

    var sealed: Secret {
        let kept = answers.map { answer -> JSON in
            [
                "process": .string(answer.process),
                "expiry": .number(.init(Int64(answer.expiry.timeIntervalSince1970))),
                "remade": .bool(answer.isRemade),
            ]
        }
        var fields: JSON.Object = ["answers": .array(kept)]
        fields["link"] = link.map(JSON.string)
        return SecretRecord(fields: fields, secrets: [format] + answers.map(\.answer)).sealed
    }

    /// The kept answer to a process.
    func answer(to process: String) -> Kept? {
        answers.last { $0.process.utf8.elementsEqual(process.utf8) }
    }

    /// Keeps an answer to a process.
    mutating func keep(_ kept: Kept) {
        forget(kept.process)
        answers.append(kept)
        answers = answers.suffix(Self.greatestAnswerCount)
    }

    /// Forgets the answer to a process.
    mutating func forget(_ process: String) {
        answers.removeAll { $0.process.utf8.elementsEqual(process.utf8) }
    }
}
