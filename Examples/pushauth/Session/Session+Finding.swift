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
        for name in LinkedProviders.names where !configured.contains(name) {
            let vault = environment.vault(for: ProviderID(rawValue: name))
            enrollments += try await vault.enrollments()
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
        guard try await authenticator.enrollments().isEmpty, damage.items.isEmpty else {
            return false
        }
        return try await unconfigured().isEmpty
    }

    private func foundConfigured(_ typed: String) async throws -> Found {
        let whole = try await authenticator.enrollments().map(Found.whole)
        let damaged = damage.items.compactMap { item -> Found? in
            guard case .enrollment(let id) = item else { return nil }
            return .damaged(id)
        }
        return try Abbreviation.find(
            typed, in: (whole + damaged).map { ($0.id.name, Abbreviation($0.id), $0) },
            kind: "enrollment")
    }

    /// The challenge that is meant, among those the store remembers.
    ///
    /// - Throws: `Failure` with the status `store` if there is none, and one is damaged.
    func record(_ typed: String) async throws -> ChallengeRecord {
        let records = try await authenticator.records()
        do {
            return try Abbreviation.find(
                typed, in: records.map { ($0.id.name, Abbreviation($0.id), $0) }, kind: "challenge")
        } catch {
            let isDamaged = damage.items.contains {
                if case .challenge = $0 { true } else { false }
            }
            if error.status == .notFound, !isDamaged, records.isEmpty {
                throw Failure(
                    .notFound, error.text,
                    advice: try await isNew()
                        ? "There is no enrollment yet. " + NextStep.enroll
                        : "No challenge has come yet. " + NextStep.listen)
            }
            guard error.status == .notFound, isDamaged else { throw error }
            throw Failure(
                .store, error.text + " What was kept of another is damaged.",
                advice: "`pushauth doctor` looks at the store.")
        }
    }

    /// Looks whether an enrollment's record can be read. Else an answer would fail as if the vendor's
    /// word were malformed.
    ///
    /// - Throws: `Failure` with the status `store` if it's damaged.
    func check(_ id: Enrollment.ID) async throws {
        do throws(PushError) {
            _ = try await authenticator.enrollment(id)
        } catch {
            guard error.code == .malformed else { throw error }
            throw Damage.Item.enrollment(id).failure
        }
    }

    /// Whether each enrollment's vendor has the newest device token; of none, if that is damaged.
    func deviceTokenStates() async throws(PushError) -> [Enrollment.ID: DeviceTokenState] {
        do throws(PushError) {
            return try await authenticator.deviceTokenStates()
        } catch {
            guard error.code == .malformed else { throw error }
            damage.note(.deviceToken)
            return [:]
        }
    }

    /// Says what turned out to be damaged, and hasn't been said yet.
    ///
    /// - Parameter status: How the command ends otherwise.
    /// - Returns: How it ends: damage is a failure, unless there was another.
    func ending(_ status: ExitStatus) -> ExitStatus {
        for item in damage.take() { item.failure.report() }
        guard status == .done || status == .nothingCame else { return status }
        return damage.items.isEmpty ? status : .store
    }
}
