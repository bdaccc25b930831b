import PushCore

extension PowerAuth {
    /// Takes over what the vendor's SDK 1.x has activated. Nothing is sent: the server knows an
    /// activation by its keys and its counter, and not by the SDK that has them.
    ///
    /// Each record becomes an enrollment under its activation's identifier, with the PIN that the user
    /// has. A second import changes nothing, so it may be done again after a crash. Delete the vendor's
    /// items when ``PowerAuthImportReport/isComplete``, and let the vendor's SDK sign nothing after
    /// this: two copies that sign share one counter.
    ///
    /// Then ask for the state (`PushAuthenticator.refresh`), which sets the counter right; before the
    /// first signature that is done anyway. The vendor's tokens are left; others are made.
    ///
    /// - Parameter records: What the vendor's SDK keeps, one for each instance of it.
    /// - Returns: What became of each record. One that can't be taken leaves the store as it was, and
    ///   hinders no other.
    public func importEnrollments(
        from records: [PowerAuthVendorRecord]
    ) async -> PowerAuthImportReport {
        var entries: [PowerAuthImportReport.Entry] = []
        for record in records {
            entries.append(await ActivationImport(channel: channel, record: record).entry())
        }
        return PowerAuthImportReport(entries: entries)
    }
}

/// Makes an enrollment of what the vendor's SDK keeps of an activation.
struct ActivationImport: Sendable {
    let channel: PowerAuthChannel
    let record: PowerAuthVendorRecord

    typealias Report = PowerAuthImportReport

    func entry() async -> Report.Entry {
        let stored: StoredActivation
        do throws(PushError) {
            guard let read = try StoredActivation.read(record.status) else {
                return Report.Entry(activation: nil, result: .empty, remarks: [])
            }
            stored = read
        } catch {
            return Report.Entry(activation: nil, result: .left(error), remarks: [])
        }
        let name = stored.activationID
        do throws(PushError) {
            let opened = try OpenedActivation(stored, record)
            let result = try await taken(opened.record, name)
            guard case .taken = result else {
                return Report.Entry(activation: name, result: result, remarks: [])
            }
            return Report.Entry(activation: name, result: result, remarks: opened.remarks)
        } catch {
            return Report.Entry(activation: name, result: .left(error), remarks: [])
        }
    }

    private func taken(
        _ new: PowerAuthRecord, _ name: String
    ) async throws(PushError) -> Report.Result {
        let id = Enrollment.ID(name, of: channel.provider)
        if let known = try await known(id, new) { return known }
        let server = channel.configuration.operationServer
        let enrollment = Enrollment(
            id: id, host: server.host, port: server.port, state: .active,
            created: channel.environment.clock.now)
        do throws(PushError) {
            try await channel.accounts.create(enrollment, new)
        } catch  where error.code == .conflict {
            // Another process may be importing it, too.
            guard let known = try await known(id, new) else { throw error }
            return known
        }
        await channel.forgetUsable()
        return .taken(enrollment)
    }

    private func known(
        _ id: Enrollment.ID, _ new: PowerAuthRecord
    ) async throws(PushError) -> Report.Result? {
        guard let account = try await channel.accounts.account(id) else { return nil }
        guard try account.record.isOfSameActivation(as: new) else {
            throw PushError(.conflict, "Another activation has its identifier.")
        }
        return .known(id)
    }
}

/// A record of the vendor's, with its keys as they are kept here.
private struct OpenedActivation {
    let record: PowerAuthRecord
    private(set) var remarks: Set<PowerAuthImportReport.Remark> = []

    init(
        _ stored: StoredActivation, _ vendor: PowerAuthVendorRecord
    ) throws(PushError) {
        let external = try Self.externalKey(stored, vendor)
        func opened(_ locked: Secret) throws(PushError) -> Secret {
            guard let external else { return locked }
            return try FactorLock.unlock(locked, with: external)
        }
        let possessionKey = try Self.key(vendor.possessionKey)
        var locked = PowerAuthRecord.Locked(
            // As it is: nothing but the user's PIN opens it.
            knowledge: PINLock(
                salt: stored.salt, iterations: stored.iterations,
                locked: try opened(stored.knowledge)),
            biometry: nil, deviceKey: stored.deviceKey)
        if let finger = stored.biometry {
            if let biometry = vendor.biometry {
                let key = try FactorLock.unlock(
                    try opened(finger), with: try Self.key(biometry.key))
                locked.biometry = try BiometricLock.lock(key, under: biometry.secret)
            } else {
                remarks.insert(.biometryLeft)
            }
        }
        if external != nil { remarks.insert(.externalKeyRemoved) }
        if stored.hasRecoveryData { remarks.insert(.recoveryLeft) }
        record = PowerAuthRecord(
            stored, locked: locked,
            possession: try FactorLock.unlock(stored.possession, with: possessionKey),
            transport: try FactorLock.unlock(stored.transport, with: possessionKey))
    }

    private static func externalKey(
        _ stored: StoredActivation, _ vendor: PowerAuthVendorRecord
    ) throws(PushError) -> Secret? {
        guard stored.hasExternalKey else { return nil }
        guard let key = vendor.externalKey else {
            throw PushError(
                .unsupported, "An external key locks the user's keys, and wasn't handed over.")
        }
        return try Self.key(key)
    }

    private static func key(_ key: Secret) throws(PushError) -> Secret {
        guard key.count == BlockCipher.blockCount else {
            throw PushError(.malformed, "A key of the vendor's keychain isn't of 16 bytes.")
        }
        return key
    }
}
