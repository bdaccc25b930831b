import Foundation
import PushCore

/// What the processes of a fleet share beside the devices' own records.
struct Fleet: Sendable {
    private static let setupKey = RecordKey("fleet", "setup")
    static let devices = "fleet/devices"
    private static let names = "fleet/names"

    let records: any CredentialStore
    let tenant: String

    init(_ records: any CredentialStore, tenant: String) {
        self.records = records
        self.tenant = tenant
    }

    static let noFleet = Failure(
        .usage, "A directory is the store of one device, and has no others.",
        advice: "A fleet's store is on servers: --store \(EtcdPlace.example) or "
            + "\(PostgresPlace.example).")

    static let hasNoIntake = Failure(
        .usage, "`listen --device` has no --http, --fcm and --apns of one device alone.",
        advice:
            "Without --device they take the pushes of all devices; --stdin takes one's as lines.")

    // MARK: What is made once

    /// What intakes need, the same in every process.
    ///
    /// - Throws: `Failure` if nobody has made it yet.
    func setup() async throws(Failure) -> FleetSetup { try await storedSetup().setup }

    private func storedSetup() async throws(Failure) -> (setup: FleetSetup, revision: Revision) {
        do throws(PushError) {
            guard let (value, revision) = try await records.read(Self.setupKey) else {
                throw PushError(
                    .storage, "The store of the tenant '\(tenant)' has no fleet yet.",
                    underlying: Advice("`pushauth fleet init --public-url URL` makes it, once."))
            }
            return (try FleetSetup(reading: value), revision)
        } catch {
            throw Self.failure(error)
        }
    }

    /// Writes it, unless there is one.
    func found(_ setup: FleetSetup) async throws(Failure) {
        do throws(PushError) {
            _ = try await records.write(setup.record, for: Self.setupKey, replacing: nil)
        } catch  where error.code == .conflict {
            throw Failure(
                .failed,
                "The tenant '\(tenant)' has a fleet already: two fleets in one scope would take each "
                    + "other's pushes.",
                advice:
                    "`pushauth fleet credentials DIRECTORY` writes what its senders need. Another "
                    + "fleet gets a tenant of its own.")
        } catch {
            throw Self.failure(error)
        }
    }

    /// Replaces what senders hold.
    ///
    /// - Returns: What they need from now on.
    /// - Throws: `Failure` if there is no fleet, or another process replaced it at the same time.
    func renew(random: any RandomSource) async throws(Failure) -> FleetSetup {
        let (setup, revision) = try await storedSetup()
        let renewed = try await setup.renewed(random: random)
        do throws(PushError) {
            _ = try await records.write(renewed.record, for: Self.setupKey, replacing: revision)
        } catch {
            throw Self.failure(error)
        }
        return renewed
    }

    // MARK: Devices

    private static func key(_ id: FleetDevice.ID) -> RecordKey { RecordKey(devices, id.hex) }

    /// - Throws: `Failure` with the status `notFound` if there is no such device.
    func device(named name: String) async throws(Failure) -> FleetDevice {
        do throws(PushError) {
            if let (value, _) = try await records.read(RecordKey(Self.names, name)),
                let id = FleetDevice.ID(hex: value.copiedText()), let device = try await device(id)
            {
                return device
            }
        } catch {
            throw Self.failure(error)
        }
        throw Failure(
            .notFound, "The fleet has no device '\(name)'.",
            advice: "`pushauth device list` shows all, `pushauth device add` makes one.")
    }

    /// A device; `nil` if there is none, or it was removed.
    func device(_ id: FleetDevice.ID) async throws(PushError) -> FleetDevice? {
        try await records.read(Self.key(id))
            .map { (found) throws(PushError) in try FleetDevice(id, reading: found.value) }
    }

    /// How many devices there are, by one trip to the store or a few.
    func count() async throws(PushError) -> Int {
        try await ids().count
    }

    /// Several devices, without those that were removed, by few trips to the store.
    func devices(_ ids: [FleetDevice.ID]) async throws(PushError) -> [FleetDevice] {
        var devices: [FleetDevice] = []
        for (id, record) in zip(ids, try await records.read(all: ids.map(Self.key))) {
            guard let (value, _) = try record.content.get() else { continue }
            devices.append(try FleetDevice(id, reading: value))
        }
        return devices
    }

    /// Enters a device: its name first, as a claim. A name without a device was left by a crash,
    /// and is taken over.
    ///
    /// - Throws: `Failure` if there is one of its name.
    func add(_ device: FleetDevice) async throws(Failure) {
        do throws(PushError) {
            try await claimName(of: device)
            try await records.write(device.record, for: Self.key(device.id), replacing: nil)
            do throws(PushError) {
                try await confirmName(of: device)
            } catch  where error.code == .conflict {
                // Another process took the name for left by a crash, before the device was there.
                try await strike(device.id)
                throw error
            }
        } catch  where error.code == .conflict {
            throw Failure(
                .failed, "The fleet has a device '\(device.name)' already.",
                advice: "`pushauth list --device \(device.name)` shows its enrollments.")
        } catch {
            throw Self.failure(error)
        }
    }

    private func claimName(of device: FleetDevice) async throws(PushError) {
        let key = RecordKey(Self.names, device.name)
        let found = try await records.read(key)
        if let holder = found.flatMap({ FleetDevice.ID(hex: $0.value.copiedText()) }),
            try await records.read(Self.key(holder)) != nil
        {
            throw PushError(.conflict, "The name is a device's.")
        }
        try await records.write(
            Secret(copying: device.id.hex), for: key, replacing: found?.revision)
    }

    /// Writes the name again, as it is. That gives it another revision, so that nobody who looked
    /// before the device was there can take it over.
    private func confirmName(of device: FleetDevice) async throws(PushError) {
        guard let revision = try await claim(of: device) else {
            throw PushError(.conflict, "The name is another device's.")
        }
        try await records.write(
            Secret(copying: device.id.hex), for: RecordKey(Self.names, device.name),
            replacing: revision)
    }

    /// The revision of a device's name; `nil` if another device has the name, or none.
    private func claim(of device: FleetDevice) async throws(PushError) -> Revision? {
        guard let (value, revision) = try await records.read(RecordKey(Self.names, device.name)),
            FleetDevice.ID(hex: value.copiedText()) == device.id
        else { return nil }
        return revision
    }

    /// Removes a device: from now on its tokens are nobody's.
    func remove(_ device: FleetDevice) async throws(Failure) {
        do throws(PushError) {
            // First: a name without a device is taken over, a device without a name isn't found.
            try await strike(device.id)
        } catch {
            throw Self.failure(error)
        }
        do throws(PushError) {
            guard let revision = try await claim(of: device) else { return }
            try await records.write(
                nil, for: RecordKey(Self.names, device.name), replacing: revision)
        } catch  where error.code == .conflict {
            // Another device has the name now.
        } catch {
            throw Self.failure(error)
        }
    }

    private func strike(_ id: FleetDevice.ID) async throws(PushError) {
        guard let (_, revision) = try await records.read(Self.key(id)) else { return }
        try await records.write(nil, for: Self.key(id), replacing: revision)
    }

    /// How many devices have a token of a service that no intake takes pushes of.
    ///
    /// - Parameter intakes: The names of the intakes that there are.
    /// - Returns: A number above 0 for each such service.
    /// - Throws: `PushError` if the store can't be read.
    func unserved(by intakes: Set<String>) async throws -> [FleetDevice.Service: Int] {
        // A gateway may bring pushes of any service to it.
        guard !intakes.contains("http") else { return [:] }
        let missing = FleetDevice.Service.allCases.filter { !intakes.contains($0.rawValue) }
        guard !missing.isEmpty else { return [:] }
        var counts: [FleetDevice.Service: Int] = [:]
        try await forEachPage { devices in
            for service in devices.flatMap(\.services) where missing.contains(service) {
                counts[service, default: 0] += 1
            }
        }
        return counts
    }

    /// Goes through all devices, page by page.
    ///
    /// - Parameter body: What is done with each page.
    /// - Returns: How many there are.
    /// - Throws: `PushError` if the store can't be read, or what `body` throws.
    @discardableResult
    func forEachPage(
        _ body: ([FleetDevice]) async throws -> Void
    ) async throws -> Int {
        let ids = try await ids()
        var count = 0
        for start in stride(from: 0, to: ids.count, by: 250) {
            let devices = try await devices(Array(ids[start...].prefix(250)))
            count += devices.count
            try await body(devices)
        }
        return count
    }

    static func failure(_ error: PushError) -> Failure {
        Failure(
            ExitStatus(error.code) == .failed ? .store : ExitStatus(error.code), error.reason,
            advice: (error.underlying as? Advice)?.text ?? "`pushauth doctor` looks at the store.")
    }
}
