public import PushCore

extension ForgeRock {
    /// Takes over what the vendor's SDK has enrolled. Nothing is sent: AM knows each mechanism by the
    /// identifier and the secret that it keeps.
    ///
    /// Each mechanism becomes an enrollment of its own, under its identifier. Hand over all records at
    /// once, accounts included: policies and locks are theirs. A second import changes nothing, so it may
    /// be done again after a crash. Delete the old store only when ``ImportReport/isComplete``; and let
    /// the old SDK make no code by a counter after this, as AM takes each counter once.
    ///
    /// An account that was locked stays so, until ``DevicePolicy`` judges the policy of that name and
    /// finds that the device meets it.
    ///
    /// - Parameters:
    ///   - records: What the old store holds.
    ///   - deviceToken: The token by which AM reaches this app, as the old SDK has registered it; AM isn't
    ///     told the same one again. `nil` if that isn't known: then the authenticator tells AM the next one
    ///     that it is given.
    /// - Returns: What became of each mechanism. A record that can't be taken leaves the store as it was,
    ///   and hinders no other.
    public func importEnrollments(
        from records: [VendorRecord], deviceToken: DeviceToken? = nil
    ) async -> ImportReport {
        await EnrollmentImport(provider: self, deviceToken: deviceToken).report(on: records)
    }
}

/// Makes enrollments of what the vendor's SDK has kept.
struct EnrollmentImport {
    let provider: ForgeRock
    let deviceToken: DeviceToken?

    private var accounts: Accounts { provider.accounts }

    func report(on records: [VendorRecord]) async -> ImportReport {
        let readings = records.flatMap(\.readings)
        let stored = StoredAccounts(readings)
        var counts: [Enrollment.ID: Int] = [:]
        for case .mechanism(let mechanism) in readings {
            counts[id(of: mechanism), default: 0] += 1
        }
        var entries: [ImportReport.Entry] = []
        for reading in readings {
            switch reading {
            case .account: break
            case .unreadable(let description, let error, _):
                entries.append(.init(description, .left(error)))
            case .mechanism(var mechanism):
                do throws(PushError) {
                    guard counts[id(of: mechanism)] == 1 else {
                        throw PushError(.malformed, "Two mechanisms have this identifier.")
                    }
                    mechanism.holder = try stored.holder(of: mechanism)
                    entries.append(try await taken(mechanism))
                } catch {
                    entries.append(.init(mechanism.description, .left(error)))
                }
            }
        }
        return ImportReport(entries: entries)
    }

    private func id(of mechanism: StoredMechanism) -> Enrollment.ID {
        Enrollment.ID(mechanism.id, of: provider.id)
    }

    private func taken(
        _ mechanism: StoredMechanism
    ) async throws(PushError) -> ImportReport.Entry {
        try check(mechanism)
        let id = id(of: mechanism)
        let new = ForgeRockCredential(mechanism)
        if let known = try await accounts.account(id) {
            guard new.isOfSameMechanism(as: try known.credential()) else {
                throw PushError(.conflict, "Another enrollment has the mechanism's identifier.")
            }
            return .init(mechanism.description, .known(id))
        }
        let violated = await provider.configuration.policies.violatedPolicy(of: new)
        var enrollment = Enrollment(
            id: id, issuer: mechanism.issuer, account: mechanism.account,
            state: violated.map { .blocked($0) } ?? .active,
            created: mechanism.created ?? provider.environment.clock.now)
        let claim = AccountClaim(
            accounts: accounts, issuer: enrollment.issuer, account: enrollment.account)
        let unique: String
        switch mechanism.content {
        case .push(let push):
            enrollment.host = push.authentication.host
            enrollment.port = push.authentication.port
            enrollment.deviceToken = deviceToken
            unique = try await claim.text()
        case .codes(let codes):
            enrollment.takesDeviceToken = false
            unique = try await claim.text(ofCodes: codes)
        }
        try await accounts.create(enrollment, new, claiming: unique)
        return .init(
            mechanism.description, .taken(enrollment), remarks: remarks(on: mechanism, violated))
    }

    /// What a code to scan would be refused for, and a server that secrets must not be told to.
    private func check(_ mechanism: StoredMechanism) throws(PushError) {
        guard case .push(let push) = mechanism.content else { return }
        try provider.hosts.checkStored(push.registration, push.authentication)
    }

    private func remarks(
        on mechanism: StoredMechanism, _ violated: String?
    ) -> Set<ImportReport.Remark> {
        var remarks = mechanism.remarks
        if let lock = mechanism.holder?.lock {
            remarks.insert(.locked(lock))
        } else if let violated {
            remarks.insert(.blocked(violated))
        }
        if mechanism.holder?.hasUnreadablePolicies == true { remarks.insert(.unreadablePolicies) }
        if mechanism.kind == .push, mechanism.user == nil { remarks.insert(.noUserName) }
        return remarks
    }
}

/// The accounts among the records.
private struct StoredAccounts {
    private let all: [StoredAccount]
    private let hasUnreadable: Bool

    init(_ readings: [VendorRecord.Reading]) {
        all = readings.compactMap { if case .account(let account) = $0 { account } else { nil } }
        hasUnreadable = readings.contains {
            if case .unreadable(_, _, isAccount: true) = $0 { true } else { false }
        }
    }

    /// The account of a mechanism; `nil` if there is none among the records.
    func holder(of mechanism: StoredMechanism) throws(PushError) -> StoredAccount? {
        if let holder = mechanism.holder { return holder }
        let holders = all.filter {
            $0.issuer.utf8.elementsEqual(mechanism.issuer.utf8)
                && $0.account.utf8.elementsEqual(mechanism.account.utf8)
        }
        guard holders.count <= 1 else {
            throw PushError(.malformed, "Two records are of the mechanism's account.")
        }
        guard !holders.isEmpty || !hasUnreadable else {
            throw PushError(
                .malformed,
                "A record can't be read that may be the account's, and say that it is locked.")
        }
        return holders.first
    }
}
