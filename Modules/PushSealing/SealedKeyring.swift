import PushCore
import PushPlatform

/// The keys of a sealed store, as its header says.
///
/// Another process may change the header at any time. A key that isn't known makes it be read again, as
/// does its age: a process never seals for long with a key that was replaced.
actor SealedKeyring {
    private let base: any CredentialStore
    private let tenant: String
    private let clock: @Sendable () -> Duration
    private let maximumAge: Duration
    private var known: [StoreKeys]
    private var ring: (ring: Ring, read: Duration)?
    private var past = Past()
    private var places: ConcealedPlaces?

    /// - Parameters:
    ///   - base: Where the header is.
    ///   - known: The caller's keys; the first makes the header where there is none.
    ///   - tenant: Whose store it is.
    ///   - maximumAge: How long the header counts without being read again.
    ///   - clock: Time that passes.
    init(
        _ base: any CredentialStore, _ known: [StoreKeys], tenant: String, maximumAge: Duration,
        clock: @escaping @Sendable () -> Duration
    ) {
        self.base = base
        self.known = known
        self.tenant = tenant
        self.maximumAge = maximumAge
        self.clock = clock
    }

    /// The keys as the header says, or said shortly before.
    ///
    /// - Throws: `PushError` with the code `storage` if the header can't be had or used.
    func current() async throws(PushError) -> Ring {
        if let ring, clock() - ring.read < maximumAge { return ring.ring }
        return try await reload()
    }

    /// Where the store behind keeps records, and the keys as the header says.
    ///
    /// What a login writes and reads again is concealed once.
    ///
    /// - Throws: `PushError` with the code `storage` if the header can't be had or used.
    func places(
        of keys: [RecordKey]
    ) async throws(PushError) -> (ring: Ring, places: [RecordKey]) {
        let ring = try await current()
        if places?.names.id != ring.names.id { places = ConcealedPlaces(names: ring.names) }
        var found: [RecordKey] = []
        for key in keys {
            if let place = places?.place(of: key) {
                found.append(place)
            } else {
                let place = try ring.place(of: key)
                places?.keep(place, of: key)
                found.append(place)
            }
        }
        return (ring, found)
    }

    /// The key with an identifier; the header is read again if it doesn't know it.
    ///
    /// - Throws: `PushError` with the code `storage` if the store has no such key, or this process.
    func keys(_ id: String) async throws(PushError) -> StoreKeys {
        if let keys = try await current().usable[id] { return keys }
        if let keys = try await reload().usable[id] { return keys }
        let isGiven = known.contains { $0.id == id }
        throw PushError(
            .storage,
            "A record is sealed with the key \(id), "
                + (isGiven
                    ? "which the store of \(tenant) no longer has: it was put back from before a "
                        + "change of keys, or written by a process that has only that key."
                    : "which this process wasn't given: give it that key as well."))
    }

    /// Adds a key that the store may be changed to.
    func learn(_ keys: StoreKeys) {
        if !known.contains(where: { $0.id == keys.id }) { known.append(keys) }
    }

    /// Makes the header say other keys, by compare-and-set.
    ///
    /// - Parameter change: Gets the identifiers, the current one first; `nil` leaves them.
    /// - Returns: The identifiers that the header names at the end.
    /// - Throws: `PushError` with the code `storage` if the header can't be read or written, or a key
    ///   isn't known here; `storageUnknown` if the store can't say whether it was.
    func change(
        _ change: @Sendable ([String]) -> [String]?
    ) async throws(PushError) -> [String] {
        for _ in 0..<100 {
            let (header, revision) = try await read()
            guard let ids = change(header.ids) else { break }
            let nameKey = try Ring(header, known, of: tenant).nameKey
            var keys: [StoreKeys] = []
            for id in ids {
                guard let given = known.first(where: { $0.id == id }) else {
                    throw PushError(.storage, "The key \(id) wasn't given to this process.")
                }
                keys.append(given)
            }
            let new = try SealedHeader(
                generation: header.generation + 1, keys, keeping: nameKey, for: tenant)
            do throws(PushError) {
                try await base.write(new.value, for: SealedHeader.key, replacing: revision)
                break
            } catch  where error.code == .conflict {
                continue
            }
        }
        return try await reload().ids
    }

    // MARK: The header

    private func reload() async throws(PushError) -> Ring {
        let start = clock()
        let header = try await read().header
        let ring = try Ring(header, known, of: tenant)
        past.note(header)
        // One that began later read what is newer.
        if let newer = self.ring, newer.read > start { return newer.ring }
        self.ring = (ring, start)
        return ring
    }

    /// The header, made by the first key if there is none, and was none before.
    private func read() async throws(PushError) -> (header: SealedHeader, revision: Revision) {
        for _ in 0..<2 {
            // Others may read what is newer meanwhile.
            let past = past
            if let (value, revision) = try await found() {
                let header = try SealedHeader(reading: value)
                try check(header, after: past)
                return (header, revision)
            }
            // Another one might conceal names another way, and the store would look empty.
            guard ring == nil else { throw Self.gone }
            do throws(PushError) {
                try await makeHeader()
            } catch  where error.code == .conflict {}
        }
        throw PushError(.storage, "The header of the sealed store comes and goes.")
    }

    /// Makes the header of a store that has none, unless there are records that nobody would find by it:
    /// then the keys were changed, and the header that is gone had the name key.
    private func makeHeader() async throws(PushError) {
        let header = try SealedHeader(
            generation: 1, [known[0]], keeping: known[0].nameRoot, for: tenant)
        // Keys are changed only where everything can be listed.
        if let base = base as? any WalkableStore {
            let ring = try Ring(header, known, of: tenant)
            let sealed = try await base.page(after: nil, limit: 50).records.filter { record in
                guard case .success(let content?) = record.content else { return false }
                return content.value.withBytes { SealedRecord.keyID(in: Array($0)) } != nil
            }
            let isOthers = !sealed.isEmpty && sealed.allSatisfy { ring.key(at: $0.key) == nil }
            // Another process may have made the store meanwhile.
            if isOthers, try await found() == nil { throw Self.gone }
        }
        try await base.write(header.value, for: SealedHeader.key, replacing: nil)
    }

    private static let gone = PushError(
        .storage,
        "The header of the sealed store is gone: put the record "
            + "\(SealedHeader.key.collection)/\(SealedHeader.key.name) back from a backup.")

    private func found() async throws(PushError) -> (value: Secret, revision: Revision)? {
        do throws(PushError) {
            return try await base.read(SealedHeader.key)
        } catch  where error.code == .malformed {
            throw PushError(
                .storage, "The header of the sealed store is damaged.", underlying: error)
        }
    }

    /// - Throws: `PushError` with the code `storage` if the header is older than one that was read
    ///   before, or goes back to a key that was given up.
    private func check(_ header: SealedHeader, after past: Past) throws(PushError) {
        guard header.generation >= past.generation else {
            throw PushError(
                .storage,
                "The header of the sealed store went back from generation \(past.generation) to "
                    + "\(header.generation): an older state was put back. Start again once you know "
                    + "which.")
        }
        // Whoever changes keys back has the one that is current, and says so by its line.
        guard !past.isGivenUp(header.ids[0]) || header.ids.contains(past.current) else {
            throw PushError(
                .storage,
                "The header of the sealed store names the key \(header.ids[0]) again, which the "
                    + "store gave up: whoever has that key may have written it. If it was changed back "
                    + "on purpose, start again; else put the header back from a backup, and take "
                    + "that key away from every process.")
        }
    }
}

/// What the headers said that a process has read.
private struct Past {
    private(set) var generation: UInt64 = 0
    private(set) var current = ""
    private var givenUp: Set<String> = []

    func isGivenUp(_ id: String) -> Bool { givenUp.contains(id) }

    mutating func note(_ header: SealedHeader) {
        guard header.generation >= generation else { return }
        givenUp.formUnion(header.ids + [current])
        (generation, current) = (header.generation, header.ids[0])
        givenUp.remove(current)
    }
}
