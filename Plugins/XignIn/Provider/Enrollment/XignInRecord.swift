import PushCore

/// The plugin's half of an enrollment's record.
struct XignInRecord {
    /// How many answers wait for a verdict at the most; more never do, but for records that nobody
    /// cleared.
    private static let greatestAnswerCount = 32

    /// What the wire format keeps.
    var format: Secret

    /// Whether the user wants pushes from this manager, whatever the device token is.
    var pushes = Pushes.wanted

    /// Whether the user wants pushes.
    enum Pushes: String {
        case wanted
        /// The user doesn't, and the manager must still be told.
        case unwanted
        /// The user doesn't, and the manager has confirmed it.
        case ended
    }

    /// The hash of the link that asked for an activation; `nil` once there is one.
    var link: String?

    /// Answers without a verdict, by process, oldest first: what may be kept of them.
    private(set) var answers: [(process: String, kept: Secret)] = []

    init(format: Secret, link: String) {
        self.format = format
        self.link = link
    }

    init(reading sealed: Secret) throws(PushError) {
        let record = try SecretRecord(reading: sealed)
        let processes = record.fields["answers"]?.array?.compactMap(\.string) ?? []
        guard let format = record.secrets.first, record.secrets.count == processes.count + 1 else {
            throw PushError(.malformed, "The credential is damaged.")
        }
        self.format = format
        pushes = record.fields["pushes"]?.string.flatMap(Pushes.init(rawValue:)) ?? .wanted
        link = record.fields["link"]?.string
        answers = Array(zip(processes, record.secrets.dropFirst())).map { ($0, $1) }
    }

    var sealed: Secret {
        var fields: JSON.Object = [
            "pushes": .string(pushes.rawValue),
            "answers": .array(answers.map { .string($0.process) }),
        ]
        fields["link"] = link.map(JSON.string)
        return SecretRecord(fields: fields, secrets: [format] + answers.map(\.kept)).sealed
    }

    /// The kept answer to a process.
    func answer(to process: String) -> Secret? {
        answers.last { $0.process.utf8.elementsEqual(process.utf8) }?.kept
    }

    /// Keeps an answer to a process, or forgets it.
    mutating func keep(_ answer: Secret?, to process: String) {
        answers.removeAll { $0.process.utf8.elementsEqual(process.utf8) }
        if let answer { answers.append((process, answer)) }
        answers = answers.suffix(Self.greatestAnswerCount)
    }
}
