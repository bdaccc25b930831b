import ArgumentParser
import PushCore
import TerminalIO

/// Which enrollments are meant, by what they are: all that is named must match.
struct Selection: ParsableArguments {
    @Option(
        help: ArgumentHelp("Only enrollments of this account.", valueName: "name"))
    var user: String?

    @Option(
        help: ArgumentHelp("Only enrollments of this issuer.", valueName: "name"))
    var issuer: String?

    @Option(
        help: ArgumentHelp("Only enrollments of this provider.", valueName: "name"),
        completion: .providers)
    var provider: String?

    /// Whether nothing is named, so that everything matches.
    var isEmpty: Bool { user == nil && issuer == nil && provider == nil }

    /// - Parameter id: What was typed as an ID, if anything was.
    /// - Throws: `ValidationError` if one enrollment is wanted and nothing says which.
    func check(orID id: String?) throws {
        guard id != nil || !isEmpty else {
            throw ValidationError(
                "Name an enrollment: its ID, or --user, --issuer or --provider.")
        }
    }

    /// The same for one challenge.
    func check(orChallenge id: String?) throws {
        guard id != nil || !isEmpty else {
            throw ValidationError(
                "Name a challenge: its ID, or --user, --issuer or --provider.")
        }
    }

    /// The same where an answer is typed behind the ID, or alone.
    ///
    /// - Parameters:
    ///   - first: What was typed first: the answer, if there is no other.
    ///   - second: What was typed second.
    ///   - name: What the answer is called.
    /// - Returns: The challenge's ID, if one was typed, and the answer.
    /// - Throws: `ValidationError` if what was typed doesn't fit together.
    func challenge(
        _ first: String?, answeredBy second: String?, _ name: String
    ) throws -> (id: String?, answer: String?) {
        let (id, answer) = second == nil && !isEmpty ? (nil, first) : (first, second)
        try check(orChallenge: id)
        guard answer != nil else {
            throw ValidationError("Type \(name) that the login page shows.")
        }
        return (id, answer)
    }

    /// Names are compared byte by byte, as a policy's are.
    func matches(_ enrollment: Enrollment) -> Bool {
        func matches(_ name: String?, _ wanted: String?) -> Bool {
            wanted.map { name?.utf8.elementsEqual($0.utf8) == true } ?? true
        }
        return matches(enrollment.account, user) && matches(enrollment.issuer, issuer)
            && matches(enrollment.id.provider.rawValue, provider)
    }

    /// What is named, for a message.
    var text: String {
        [("user", user), ("issuer", issuer), ("provider", provider)]
            .compactMap { label, name in name.map { "\(label) '\(printable($0))'" } }
            .joined(separator: ", ")
    }
}

/// What a selection means, alone or beside an ID.
extension Session {
    /// The enrollments that are selected.
    ///
    /// - Throws: `Failure` with the status `notFound` if something is named and nothing matches.
    func enrollments(_ selection: Selection) async throws -> [Enrollment] {
        let enrollments = try await authenticator.enrollments().filter(selection.matches)
        if enrollments.isEmpty, !selection.isEmpty { throw try await nothing(selection) }
        return enrollments
    }

    /// The one enrollment that is meant.
    ///
    /// - Throws: `Failure` with the status `notFound` if it names no challenge, or more than one;
    ///   with the status `store` if its record is damaged.
    func enrollment(_ typed: String?, _ selection: Selection) async throws -> Enrollment {
        switch try await found(typed, selection) {
        case .whole(let enrollment): return enrollment
        case .damaged(let id): throw Damage.Item.enrollment(id).failure
        }
    }

    /// The one enrollment that is meant, damaged or not: of one that is damaged, only the ID is known.
    func found(_ typed: String?, _ selection: Selection) async throws -> Found {
        if selection.isEmpty { return try await found(typed ?? "") }
        let enrollments = try await enrollments(selection)
        if let typed {
            return .whole(
                try Abbreviation.find(
                    typed, in: enrollments.map { ($0.id.name, Abbreviation($0.id), $0) },
                    kind: "enrollment"))
        }
        guard enrollments.count == 1 else { throw ambiguous(selection, enrollments) }
        return .whole(enrollments[0])
    }

    /// Asks the vendors of what is selected what waits for an answer.
    ///
    /// - Parameters:
    ///   - selection: What is selected.
    ///   - selected: The enrollments that it selects.
    /// - Returns: The enrollments that couldn't be asked.
    /// - Throws: `PushError` if the store can't be read.
    func ask(
        _ selection: Selection, among selected: [Enrollment]
    ) async throws -> [Enrollment.ID: PushError] {
        if selection.isEmpty { return try await authenticator.pending().failures }
        let slots = Slots(8)
        return await withTaskGroup(of: (Enrollment.ID, PushError)?.self) { group in
            for enrollment in selected where enrollment.state != .movedAway {
                group.addTask { [authenticator] in
                    await slots.enter()
                    let asked = await Result { () async throws(PushError) in
                        try await authenticator.pending(for: enrollment.id)
                    }
                    await slots.leave()
                    guard case .failure(let error) = asked else { return nil }
                    return (enrollment.id, error)
                }
            }
            var failures: [Enrollment.ID: PushError] = [:]
            for await case let (id, error)? in group { failures[id] = error }
            return failures
        }
    }

    private func nothing(_ selection: Selection) async throws -> Failure {
        if let other = try await unconfigured().first(where: selection.matches) {
            _ = try provider(of: other.id)
        }
        return Failure(
            .notFound, "No enrollment has \(selection.text).",
            advice: "`pushauth list` shows them all. Names must be the same, letter by letter.")
    }

    private func ambiguous(_ selection: Selection, _ found: [Enrollment]) -> Failure {
        var candidates = found.prefix(10).map { enrollment -> String in
            let names = [enrollment.id.provider.rawValue, enrollment.issuer, enrollment.account]
            let text = names.compactMap { $0 }.map(printable).joined(separator: " ")
            return "\(Abbreviation(enrollment.id).text) (\(text))"
        }
        if found.count > 10 { candidates.append("and \(found.count - 10) more") }
        return Failure(
            .notFound,
            "More than one enrollment has \(selection.text): "
                + candidates.joined(separator: ", ") + ".",
            advice: "Name one by its ID, or name more of it.")
    }
}
