/// Says which enrollment has something that only one may have, such as an issuer's account.
///
/// It's a record whose name is what must be unique. It is made before the credential, confirmed
/// after it, and deleted after it; one without a credential was left by a crash, and is taken over.
struct Claim {
    let store: any CredentialStore
    let key: RecordKey
    let provider: ProviderID

    init(_ unique: String, of provider: ProviderID, in store: any CredentialStore) {
        self.store = store
        self.provider = provider
        key = RecordKey(Self.collection(of: provider), unique)
    }

    static func collection(of provider: ProviderID) -> String { "claim/\(provider.rawValue)" }

    /// The enrollment that has it; `nil` if none.
    func holder() async throws(PushError) -> Enrollment.ID? {
        guard let (value, _) = try await store.read(key) else { return nil }
        return try Self.holder(in: value, of: provider)
    }

    /// Takes what nobody has, or what a crash has left: a holder without a credential. Throws
    /// `alreadyEnrolled` if another enrollment has it.
    func take(
        for id: Enrollment.ID,
        unless isTaken: (Enrollment.ID) async throws(PushError) -> Bool
    ) async throws(PushError) {
        for _ in 0..<100 {
            let found = try await store.readWhole(key)
            if let found, let holder = try? Self.holder(in: found.value, of: provider),
                holder != id, try await isTaken(holder)
            {
                throw PushError(
                    .alreadyEnrolled, "It is enrolled on this device already.", provider: provider)
            }
            do throws(PushError) {
                try await store.write(
                    Self.sealed(id, isConfirmed: false), for: key, replacing: found?.revision)
                return
            } catch  where error.code == .conflict {}
        }
        throw PushError(.conflict, "Others kept changing the record; try again.")
    }

    /// Confirms it after the credential was written, if it's still this enrollment's. The write gives
    /// the claim another revision, so that nobody who looked before can take it over.
    func confirm(for id: Enrollment.ID) async throws(PushError) -> Bool {
        try await store.change(key) { (found) throws(PushError) in
            guard let found, try Self.holder(in: found, of: provider) == id else {
                return (.keep, false)
            }
            return (.replace(Self.sealed(id, isConfirmed: true)), true)
        }
    }

    /// Deletes it, if it's this enrollment's.
    func release(for id: Enrollment.ID) async throws(PushError) {
        do throws(PushError) {
            try await store.change(key) { (found) throws(PushError) in
                guard let found, try Self.holder(in: found, of: provider) == id else {
                    return (.keep, ())
                }
                return (.delete, ())
            }
        } catch  where error.code == .malformed {
            // Nobody can tell whose it is; the next enrollment discards it.
        }
    }

    private static func sealed(_ id: Enrollment.ID, isConfirmed: Bool) -> Secret {
        Secret.Record(fields: ["enrollment": .string(id.name), "confirmed": .bool(isConfirmed)])
            .sealed
    }

    private static func holder(
        in value: Secret, of provider: ProviderID
    ) throws(PushError) -> Enrollment.ID {
        Enrollment.ID(
            try Secret.Record(reading: value).fields.required("enrollment") { $0.string },
            of: provider)
    }
}
