import PushCore
import TerminalIO

/// Which challenge is meant by what it is about.
extension Session {
    /// The one challenge that is meant: by its ID, or as the only one of a selection that waits for an
    /// answer.
    ///
    /// - Throws: `Failure` with the status `notFound` if it names no challenge, or more than one.
    func record(_ typed: String?, _ selection: Selection) async throws -> ChallengeRecord {
        if selection.isEmpty { return try await record(typed ?? "") }
        let selected = Set(try await enrollments(selection).map(\.id))
        guard let typed else { return try await waiting(selected, selection) }
        let records = try await authenticator.records()
            .filter { selected.contains($0.id.enrollment) }
        return try Abbreviation.find(
            typed, in: records.map { ($0.id.name, Abbreviation($0.id), $0) }, kind: "challenge")
    }

    private func waiting(
        _ selected: Set<Enrollment.ID>, _ selection: Selection
    ) async throws -> ChallengeRecord {
        let records = try await authenticator.unfinishedRecords()
            .filter { selected.contains($0.id.enrollment) }
        let open = records.filter { $0.state == .open }
        // The same answer once more tells what became of the first.
        let meant = open.isEmpty ? records : open
        switch meant.count {
        case 1: return meant[0]
        case 0:
            throw Failure(
                .notFound, "No challenge of \(selection.text) waits for an answer.",
                advice: "`pushauth pending` asks the vendors that can tell what waits.")
        default: throw ambiguous(selection, meant)
        }
    }

    private func ambiguous(_ selection: Selection, _ found: [ChallengeRecord]) -> Failure {
        var candidates = found.prefix(10).map { record -> String in
            let words = [record.id.enrollment.provider.rawValue, record.notice.title]
                .compactMap { $0 }.filter { !$0.isEmpty }.map(printable)
            return "\(Abbreviation(record.id).text) (\(words.joined(separator: ", ")))"
        }
        if found.count > 10 { candidates.append("and \(found.count - 10) more") }
        return Failure(
            .notFound,
            "More than one challenge of \(selection.text) waits for an answer: "
                + candidates.joined(separator: "; ") + ".",
            advice: "Name one by its ID, or name more of whose it is.")
    }
}

/// What became of an answer.
extension Session {
    /// What an error means for an answer to a challenge.
    ///
    /// Once the answer is decided, a server that can't be reached or whose reply is lost may have taken
    /// it: before that, nothing of it has left.
    func failure(_ error: any Error, answering id: Challenge.ID) async -> Failure {
        let failure = Failure(error)
        guard failure.status == .network, await isDecided(id) else { return failure }
        return Failure(
            .unknown, failure.text,
            advice: "The vendor may have taken the answer: `pushauth refresh` asks again.")
    }

    /// The same for a command that answers: a script gets its line, too, if nobody knows what came of it.
    func failure(
        _ error: any Error, answering id: Challenge.ID, _ resolution: Resolution,
        _ options: GlobalOptions
    ) async -> Failure {
        let failure = await failure(error, answering: id)
        if failure.status == .unknown, options.json {
            options.reporter.show(
                OutcomeReport(
                    id: id, resolution: resolution, outcome: .unknown(failure.text),
                    subject: await subject(id)))
        }
        return failure
    }

    /// Whether an answer is decided, and the vendor's word on it isn't known yet.
    func isDecided(_ id: Challenge.ID) async -> Bool {
        if case .decided = try? await authenticator.record(of: id)?.state { return true }
        return false
    }
}
