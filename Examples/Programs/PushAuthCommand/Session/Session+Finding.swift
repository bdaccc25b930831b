import PushCore

/// What a user means by an ID, and what of it is damaged.
extension Session {
    /// An enrollment of the store.
    enum Found {
        case whole(Enrollment)
        case damaged(Enrollment.ID)

        var id: Enrollment.ID {
            switch self {
            case .whole(let enrollment): enrollment.id
            case .damaged(let id): id
            }
        }
    }

    /// The enrollment that is meant.
    ///
    /// - Throws: `Failure` with the status `store` if its record is damaged.
    func enrollment(_ typed: String) async throws -> Enrollment {
        switch try await found(typed) {
        case .whole(let enrollment): return enrollment
        case .damaged(let id): throw Damage.Item.enrollment(id).failure
        }
    }

    /// The enrollment that is meant, damaged or not.
    func found(_ typed: String) async throws -> Found {
        do {
            return try await foundConfigured(typed)
        } catch let failure as Failure where failure.status == .notFound {
            if let other = try await unconfigured(typed) { _ = try provider(of: other.id) }
            guard try await isNew() else { throw failure }
            throw Failure(.notFound, failure.text, advice: "There is none yet. " + NextStep.enroll)
        }
    }

    /// The enrollments that nothing can be done with, as the configuration has no provider for
    /// them.
    func unconfigured() async throws(PushError) -> [Enrollment] {
        var enrollments: [Enrollment] = []
        let configured = providers.map(\.id.rawValue)
        for name in linked.names where !configured.contains(name) {
            let accounts = environment.accounts(for: ProviderID(rawValue: name))
            enrollments += try await accounts.enrollments()
        }
        return enrollments
    }

    /// The one of them that is meant; `nil` if none is.
    func unconfigured(_ typed: String) async throws(PushError) -> Enrollment? {
        let all = try await unconfigured().map { ($0.id.name, Abbreviation($0.id), $0) }
        return try? Abbreviation.find(typed, in: all, kind: "enrollment")
    }

    /// Whether nobody has enrolled here yet.
    func isNew() async throws(PushError) -> Bool {
        guard damage.items.isEmpty, try await authenticator.enrollmentIDs().isEmpty else {
            return false
        }
        return try await unconfigured().isEmpty
    }

    private func foundConfigured(_ typed: String) async throws -> Found {
        // A whole name leads to its record. What is shorter is looked for among the names of all, and
        // of all records only the one that is meant is opened.
        var named: [Found] = []
        for provider in providers {
            if let found = try await known(Enrollment.ID(typed, of: provider.id)) {
                named.append(found)
            }
        }
        if named.count == 1 { return named[0] }
        let ids = try await authenticator.enrollmentIDs()
        let id = try Abbreviation.find(
            typed, in: ids.map { ($0.name, Abbreviation($0), $0) }, kind: "enrollment")
        if let found = try await known(id) { return found }
        // Another process has just removed it.
        return try Abbreviation.find(typed, in: [], kind: "enrollment")
    }

    /// An enrollment, damaged or not; `nil` if there is none.
    private func known(_ id: Enrollment.ID) async throws(PushError) -> Found? {
        do throws(PushError) {
            return try await authenticator.enrollment(id).map(Found.whole)
        } catch {
            guard error.code == .malformed else { throw error }
            damage.note(.enrollment(id))
            return .damaged(id)
        }
    }

    /// The challenge that is meant, among those the store remembers.
    ///
    /// - Parameters:
    ///   - typed: What names it.
    ///   - isOrEnrollment: Whether an enrollment may have been meant, and none has this name.
    /// - Returns: What is on record of it.
    /// - Throws: `Failure` with the status `store` if it isn't found and something is damaged,
    ///   which may have held it.
    func record(
        _ typed: String, orEnrollment isOrEnrollment: Bool = false
    ) async throws -> ChallengeRecord {
        let records = try await authenticator.records()
        let found = Result { () throws(Failure) in
            try Abbreviation.find(
                typed, in: records.map { ($0.id.name, Abbreviation($0.id), $0) }, kind: "challenge")
        }
        guard case .failure(let error) = found, error.status == .notFound else {
            return try found.get()
        }
        if let damaged = damage.items.first(where: \.hidesChallenges) {
            throw Failure(damaged.status, "\(error.text) \(damaged.text)", advice: damaged.advice)
        }
        let isNew = try await isNew()
        if isOrEnrollment, !isNew { try await checkNothing(isKnownAs: typed, besides: records) }
        guard records.isEmpty else { throw error }
        throw Failure(
            .notFound, error.text,
            advice: isNew
                ? "There is no enrollment yet. " + NextStep.enroll
                : "No challenge has come yet. " + NextStep.listen)
    }

    /// - Throws: `Failure` with the status `notFound` that names what is near, or what it fits.
    private func checkNothing(
        isKnownAs typed: String, besides records: [ChallengeRecord]
    ) async throws {
        let enrollments =
            try await authenticator.enrollmentIDs() + (try await unconfigured().map(\.id))
        _ = try Abbreviation.find(
            typed,
            in: enrollments.map { ($0.name, Abbreviation($0), ()) }
                + records.map { ($0.id.name, Abbreviation($0.id), ()) },
            kind: "enrollment or challenge")
    }

    /// Whether an enrollment's vendor has the newest device token; `nil` if that is damaged.
    func deviceTokenState(of id: Enrollment.ID) async throws(PushError) -> DeviceToken.State? {
        do throws(PushError) {
            return try await authenticator.deviceTokenState(of: id)
        } catch {
            guard error.code == .malformed else { throw error }
            damage.note(.deviceToken)
            return nil
        }
    }

    /// Whether each enrollment's vendor has the newest device token; of none, if that is damaged.
    func deviceTokenStates(
        of enrollments: [Enrollment]
    ) async throws(PushError) -> [Enrollment.ID: DeviceToken.State] {
        do throws(PushError) {
            return try await authenticator.deviceTokenStates(of: enrollments)
        } catch {
            guard error.code == .malformed else { throw error }
            damage.note(.deviceToken)
            return [:]
        }
    }

    /// Says what turned out to be damaged, and hasn't been said yet.
    ///
    /// - Parameter status: How the command ends otherwise.
    /// - Returns: How it ends: damage and refused entries are a failure, unless there was another.
    func ending(_ status: ExitStatus) -> ExitStatus {
        for item in damage.take() { item.failure.report() }
        guard status == .done || status == .nothingCame else { return status }
        return damage.items.first?.status ?? status
    }
}
