import PushCore

/// The keys of a sealed store, as its header says.
///
/// Another process may change the header at any time. A key that isn't known makes it be read again, as
/// does its age: a process never seals for long with a key that was replaced.
actor SealedKeyring {
    struct Ring: Sendable {
        /// What is sealed is sealed with this one.
        let current: StoreKeys
        /// What names are concealed with.
        let names: StoreKeys
        let tenant: String
        fileprivate let nameKey: Secret
        fileprivate let usable: [String: StoreKeys]

        /// Whether other keys than the current one may be needed, as the header says.
        let isChanging: Bool

        /// Where the store behind keeps a record.
        func place(of key: RecordKey) throws(PushError) -> RecordKey {
            RecordKey(try collection(key.collection), try name(key.name, of: key.collection))
        }

        /// What stands for the place in a collection after which a page begins.
        func cursor(_ name: String, of collection: String) throws(PushError) -> String {
            if RecordKey.hasScopesInNames(collection), ScopedName(name) == nil,
                let scoped = ScopedName(name + "/"), scoped.rest.isEmpty
            {
                return try concealed(scope: scoped.scope, in: collection)
            }
            return try self.name(name, of: collection)
        }

        /// A scope is concealed apart from what follows it, so that its names stand together in pages.
        private func name(_ name: String, of collection: String) throws(PushError) -> String {
            guard RecordKey.hasScopesInNames(collection), let scoped = ScopedName(name) else {
                return Bytes.base64URL(try names.conceal(name, in: scope(collection)))
            }
            let scope = try concealed(scope: scoped.scope, in: collection)
            if scoped.rest.isEmpty { return scope + "." }
            let rest = try names.conceal(scoped.rest, in: self.scope(collection, scoped.scope))
            return "\(scope).\(Bytes.base64URL(rest))"
        }

        private func concealed(
            scope: String, in collection: String
        ) throws(PushError) -> String {
            Bytes.base64URL(try names.conceal(scope, in: "scopes of \(tenant) \(collection)"))
        }

        func collection(_ collection: String) throws(PushError) -> String {
            Bytes.base64URL(try names.conceal(collection, in: "collections of \(tenant)"))
        }

        /// `nil` if the text isn't a name that this store concealed.
        func name(in text: String, of collection: String) -> String? {
            let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(
                String.init)
            guard RecordKey.hasScopesInNames(collection), parts.count == 2 else {
                let name = revealed(text, in: scope(collection))
                let isElsewhere =
                    RecordKey.hasScopesInNames(collection)
                    && name.flatMap(ScopedName.init) != nil
                return isElsewhere ? nil : name
            }
            guard let scope = revealed(parts[0], in: "scopes of \(tenant) \(collection)"),
                let rest = parts[1].isEmpty
                    ? "" : revealed(parts[1], in: self.scope(collection, scope))
            else { return nil }
            return ScopedName.prefix(scope) + rest
        }

        private func revealed(_ text: String, in scope: String) -> String? {
            Bytes.base64URL(reading: text).flatMap { names.reveal($0, in: scope) }
        }

        /// `nil` if it isn't a place of this store.
        func key(at place: RecordKey) -> RecordKey? {
            guard let box = Bytes.base64URL(reading: place.collection),
                let collection = names.reveal(box, in: "collections of \(tenant)"),
                let name = name(in: place.name, of: collection)
            else { return nil }
            return RecordKey(collection, name)
        }

        private func scope(_ collection: String) -> String { "names of \(tenant) \(collection)" }

        private func scope(_ collection: String, _ scope: String) -> String {
            "names in a scope of \(tenant) \(collection) \(scope)"
        }
    }

    private let base: any CredentialStore
    private let tenant: String
    private let clock: @Sendable () -> Duration
    private let maximumAge: Duration
    private var known: [StoreKeys]
    private var ring: (ring: Ring, read: Duration)?
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
    /// - Throws: `PushError` with the code `storage` if the header can't be read or written, or a key
    ///   isn't known here; `storageUnknown` if the store can't say whether it was.
    func change(_ change: @Sendable ([String]) -> [String]?) async throws(PushError) {
        for _ in 0..<100 {
            let (header, revision) = try await read()
            guard let ids = change(header.keys.map(\.id)) else { break }
            let nameKey = try ring(of: header).nameKey
            var lines: [SealedHeader.Key] = []
            for id in ids {
                guard let keys = known.first(where: { $0.id == id }) else {
                    throw PushError(.storage, "The key \(id) wasn't given to this process.")
                }
                lines.append(try SealedHeader.line(keys, keeping: nameKey, for: tenant))
            }
            do throws(PushError) {
                try await base.write(
                    SealedHeader(lines).value, for: SealedHeader.key, replacing: revision)
                break
            } catch  where error.code == .conflict {
                continue
            }
        }
        try await reload()
    }

    // MARK: The header

    @discardableResult
    private func reload() async throws(PushError) -> Ring {
        let start = clock()
        let ring = try ring(of: try await read().header)
        // One that began later read what is newer.
        if let newer = self.ring, newer.read > start { return newer.ring }
        self.ring = (ring, start)
        return ring
    }

    /// The header, made by the first key if there is none, and was none before.
    private func read() async throws(PushError) -> (header: SealedHeader, revision: Revision) {
        for _ in 0..<2 {
            if let (value, revision) = try await found() {
                return (try SealedHeader(reading: value), revision)
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
        let line = try SealedHeader.line(known[0], keeping: known[0].nameRoot, for: tenant)
        let header = SealedHeader([line])
        // Keys are changed only where everything can be listed.
        if let base = base as? any WalkableStore {
            let ring = try ring(of: header)
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

    private func ring(of header: SealedHeader) throws(PushError) -> Ring {
        var usable: [String: StoreKeys] = [:]
        var names: Secret?
        for line in header.keys {
            guard let keys = known.first(where: { $0.id == line.id }) else { continue }
            guard let found = SealedHeader.names(in: line, keys, for: tenant) else {
                throw PushError(
                    .storage,
                    "The header of the sealed store is damaged, or of another tenant than "
                        + "\(tenant): give the tenant that the store was made for.")
            }
            usable[line.id] = keys
            names = found
        }
        guard let current = usable[header.keys[0].id], let names else {
            let given = known.map(\.id).joined(separator: ", ")
            throw PushError(
                .storage,
                "The store of \(tenant) is sealed with the key \(header.keys[0].id), not with the "
                    + "key given, \(given). Open it with that key.")
        }
        return Ring(
            current: current, names: try StoreKeys(names, for: .records), tenant: tenant,
            nameKey: names, usable: usable, isChanging: header.keys.count > 1)
    }
}
