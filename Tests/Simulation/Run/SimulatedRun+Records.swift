import PushCore

extension RecordKey {
    static let enrollments = "enrollment"

    /// Where an enrollment's record is.
    static func enrollment(_ id: Enrollment.ID) -> RecordKey {
        let parts = [id.provider.rawValue, id.name].map(JSON.string)
        return RecordKey(enrollments, JSON.array(parts).text)
    }

    var short: String { "\(collection.prefix(4)) \(name)" }
}

/// What is on record, for the store that keeps it and for the checker.
extension SimulatedRun {
    /// An enrollment's record; `nil` if there is none.
    func document(_ key: RecordKey) -> RecordedDocument? {
        guard key.collection == RecordKey.enrollments else { return nil }
        return records[key].flatMap { RecordedDocument($0.value) }
    }

    /// Keeps what was written, and learns by which digests challenges are known.
    func keep(_ value: Secret?, at revision: Revision, for key: RecordKey, waits: Bool) {
        let isReplaced = records[key] != nil
        records[key] = value.map { ($0, revision) }
        let isMarked = waits && !(mutation == .losesMarks && isReplaced)
        if value != nil, isMarked { waiting.insert(key) } else { waiting.remove(key) }
        guard let document = document(key) else {
            if value != nil, key.collection == RecordKey.enrollments {
                violate(.noSurprise, "\(key.name) isn't laid out as a record")
            }
            return
        }
        if document.waits != waits {
            violate(
                .nothingLost, "\(key.name) is marked as if it \(waits ? "waited" : "didn't wait")")
        }
        if !document.traces.isEmpty { tally.count(.trace) }
        for row in document.rows where challenges[row.digest] == nil {
            guard let id = document.fields(of: row)?["id"], let name = id["challenge"]?.string,
                let provider = id["enrollment"]?["provider"]?.string,
                let enrollment = id["enrollment"]?["name"]?.string
            else { continue }
            let owner = Enrollment.ID(enrollment, of: ProviderID(rawValue: provider))
            challenges[row.digest] = Challenge.ID(name, of: owner)
        }
    }

    /// What the records hold but for the providers' halves, whose counters change with each
    /// request.
    var ledgerDigest: Int {
        var digest = 0
        for (key, record) in records {
            var hasher = Hasher()
            hasher.combine(key)
            if let document = document(key) {
                hasher.combine(document.challenges)
            } else {
                record.value.withBytes { hasher.combine(bytes: $0) }
            }
            digest ^= hasher.finalize()
        }
        return digest
    }

    /// Takes all challenges out of the records, as a store does that comes back without them.
    func loseChallenges() {
        for key in records.keys.sorted(by: { $0.name < $1.name }) {
            guard let document = document(key) else { continue }
            lastRevision += 1
            records[key] = (document.withoutChallenges, Revision(lastRevision))
            waiting.remove(key)
        }
    }

    /// Damages an enrollment's record, as a bad block would, or has a later version write a row of
    /// it.
    func damage() {
        let keys = records.keys.filter { $0.collection == RecordKey.enrollments }
        guard !keys.isEmpty else { return }
        let key = draw.pick(keys.sorted { $0.name < $1.name })
        if draw.percent(50), let document = document(key), !document.rows.isEmpty {
            let row = draw.pick(document.rows)
            guard let id = challenges[row.digest],
                let changed = document.making(rowOfAnotherVersion: row)
            else { return }
            lastRevision += 1
            records[key] = (changed, Revision(lastRevision))
            spoiled.insert(id.name)
            tally.count(.rowOfAnotherVersion)
            return note("\(id.name) is of another version")
        }
        damaged.insert(key)
        tally.count(.damaged)
        note("\(key.short) is damaged")
        spoiled.insert((try? JSON(parsing: key.name).array)?.last?.string ?? key.name)
    }

    /// What an enrollment's record holds as decided on a challenge, in the vendor's words. A trace
    /// tells a yes from a no alone.
    func recordedChoice(_ id: Challenge.ID, like choice: String) -> String? {
        guard let document = document(.enrollment(id.enrollment)) else { return nil }
        if let verdict = trace(of: id) {
            let isDenial = choice.hasPrefix("deny")
            return switch verdict {
            case .approved: isDenial ? "a yes" : choice
            case .denied: isDenial ? choice : "a no"
            case .mentioned, .over: nil
            }
        }
        guard let row = document.rows.first(where: { challenges[$0.digest] == id }),
            let resolution = document.fields(of: row)?["decided"]?["resolution"],
            let kind = resolution["is"]?.string
        else { return nil }
        switch kind {
        case "approve": return "approve"
        case "choose", "enter": return "number:\(resolution["text"]?.string ?? "")"
        case "custom": return "deny:\(resolution["text"]?.string ?? "")"
        default: return "deny:\(kind)"
        }
    }

    /// What a trace says of a challenge; `nil` if none is left.
    func trace(of id: Challenge.ID) -> RecordedDocument.Verdict? {
        document(.enrollment(id.enrollment))?.traces.first { challenges[$0.key] == id }?.value
    }

    /// The device token that a vendor should have which takes those of these services, most
    /// preferred first, as the store has what the app gave last.
    func desiredToken(of services: [DeviceToken.Service]) -> DeviceToken? {
        for service in services {
            guard let sealed = records[RecordKey("device", service.rawValue)]?.value,
                let fields = try? Secret.Record(reading: sealed).fields,
                let text = fields["token"]?["token"]?.string
            else { continue }
            return service == .fcm ? .fcm(text) : .apns(hex: text, isSandbox: false)
        }
        return nil
    }
}
