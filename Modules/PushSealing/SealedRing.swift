import PushCore
import PushPlatform

extension SealedKeyring {
    /// What a header says, for who has its keys.
    struct Ring: Sendable {
        /// What is sealed is sealed with this one.
        let current: StoreKeys
        /// What names are concealed with.
        let names: StoreKeys
        let tenant: String
        let nameKey: Secret
        /// The keys that the header names and the caller gave, by their identifiers.
        let usable: [String: StoreKeys]

        /// The identifiers of all keys that the header names, the current one's first.
        let ids: [String]

        /// - Throws: `PushError` with the code `storage` if the header isn't what who has its keys
        ///   wrote for the tenant, or its first key isn't known.
        init(
            _ header: SealedHeader, _ known: [StoreKeys], of tenant: String
        ) throws(PushError) {
            var usable: [String: StoreKeys] = [:]
            var names: Secret?
            for keys in known where header.ids.contains(keys.id) {
                guard let found = header.names(by: keys, for: tenant) else {
                    throw PushError(
                        .storage,
                        "The header of the sealed store is damaged, or of another tenant than "
                            + "\(tenant): give the tenant that the store was made for.")
                }
                usable[keys.id] = keys
                names = found
            }
            guard let current = usable[header.ids[0]], let names else {
                let given = known.map(\.id).joined(separator: ", ")
                throw PushError(
                    .storage,
                    "The store of \(tenant) is sealed with the key \(header.ids[0]), not with the "
                        + "key given, \(given). Open it with that key.")
            }
            self.current = current
            self.names = try StoreKeys(names, for: .records)
            self.tenant = tenant
            self.usable = usable
            nameKey = names
            ids = header.ids
        }

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
}
