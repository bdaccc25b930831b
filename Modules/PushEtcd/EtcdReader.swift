import PushCore

/// What is read of etcd: linearizable, so never less than what any writer was told.
struct EtcdReader: Sendable {
    let client: EtcdClient
    let keys: EtcdKeys

    /// How many records are read in one request.
    private static let pageSize = 250
    private static let namesInPage = 1000

    /// A record; `nil` if there is none.
    ///
    /// - Throws: `PushError` with the code `storage` if etcd can't tell.
    func entry(_ key: [UInt8]) async throws(PushError) -> EtcdEntry? {
        do throws(PushError) {
            let reply = try await client.ask(EtcdRequest.rangePath, EtcdRequest.range(key))
            return try Self.only(reply.entries, key)
        } catch  where error.code == .oversizedReply {
            throw Self.tooLarge(error)
        }
    }

    /// Several records, in the order of the keys.
    ///
    /// - Throws: `PushError` with the code `storage` if etcd can't tell.
    func entries(_ keys: [[UInt8]]) async throws(PushError) -> [EtcdEntry?] {
        var entries: [EtcdEntry?] = []
        var limit = EtcdRequest.maximumOperations
        while entries.count < keys.count {
            let part = Array(keys[entries.count...].prefix(limit))
            do throws(PushError) {
                let body = EtcdRequest.all(part.map { EtcdRequest.range($0) })
                let reply = try await client.ask(EtcdRequest.transactionPath, body)
                guard reply.responses.count == part.count else { throw Self.otherRecords }
                for (found, key) in zip(reply.responses, part) {
                    entries.append(try Self.only(found, key))
                }
            } catch  where error.code == .oversizedReply {
                guard part.count > 1 else { throw Self.tooLarge(error) }
                limit = part.count / 2
            }
        }
        return entries
    }

    /// The names of the records, or of the marks, that begin with some bytes, after a name.
    ///
    /// - Throws: `PushError` with the code `storage` if etcd can't tell.
    func names(
        in head: [UInt8], after name: String?, _ limit: Int
    ) async throws(PushError) -> NamePage {
        let (names, isLast) = try await part(
            from: name.map { head + Array($0.utf8) + [0] } ?? head, to: EtcdKeys.end(of: head),
            min(max(1, limit), Self.namesInPage), keysOnly: true
        ) {
            String(validUTF8: $0.key.dropFirst(head.count))
        }
        return NamePage(names, isLast: isLast)
    }

    /// All records after one.
    ///
    /// - Throws: `PushError` with the code `storage` if etcd can't tell.
    func page(after key: RecordKey?, _ limit: Int) async throws(PushError) -> (
        records: [StoredRecord], isLast: Bool
    ) {
        let from = try key.map { (key) throws(PushError) in try keys.bytes(of: key) + [0] }
        let (records, isLast) = try await part(
            from: from ?? Array(keys.place.utf8), to: keys.marks,
            min(max(1, limit), Self.pageSize), keysOnly: false
        ) { entry in
            keys.key(entry.key).map { EtcdValue.record($0, entry) }
        }
        return (records, isLast: isLast)
    }

    private func part<Element>(
        from: [UInt8], to end: [UInt8], _ limit: Int, keysOnly: Bool,
        _ element: (EtcdEntry) -> Element?
    ) async throws(PushError) -> (elements: [Element], isLast: Bool) {
        var from = from
        while true {
            let reply = try await range(from: from, to: end, limit: limit, keysOnly: keysOnly)
            let elements = reply.entries.compactMap(element)
            // Keys that no store made end no walk.
            guard elements.isEmpty, reply.more, let last = reply.entries.last?.key else {
                return (elements, !reply.more)
            }
            // One request isn't cancelled, but no other follows for a caller who is gone.
            guard !Task.isCancelled else {
                throw PushError(
                    .cancelled, "The caller has gone while etcd's records were listed.")
            }
            from = last + [0]
        }
    }

    /// A range, fewer records of it where they are too large together.
    private func range(
        from: [UInt8], to end: [UInt8], limit: Int, keysOnly: Bool
    ) async throws(PushError) -> EtcdReply {
        var limit = limit
        while true {
            let body = EtcdRequest.range(from: from, to: end, limit: limit, keysOnly: keysOnly)
            do throws(PushError) {
                let reply = try await client.ask(EtcdRequest.rangePath, body)
                guard
                    reply.entries.allSatisfy({ entry in
                        !entry.key.lexicographicallyPrecedes(from)
                            && entry.key.lexicographicallyPrecedes(end)
                    })
                else { throw Self.otherRecords }
                return reply
            } catch  where error.code == .oversizedReply {
                guard limit > 1 else { throw Self.tooLarge(error) }
                limit /= 2
            }
        }
    }

    private static func only(
        _ entries: [EtcdEntry], _ key: [UInt8]
    ) throws(PushError) -> EtcdEntry? {
        guard entries.count <= 1, entries.allSatisfy({ $0.key == key }) else {
            throw otherRecords
        }
        return entries.first
    }

    private static let otherRecords = PushError(
        .storage, "etcd replied with other records than were asked for.")

    private static func tooLarge(_ error: PushError) -> PushError {
        PushError(
            .storage,
            "A record of etcd is larger than its transport takes: give a maximumBodySize of 4 MiB.",
            underlying: error)
    }
}
