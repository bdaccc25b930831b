/// How a row is laid out in its record.
extension LedgerRow {
    /// Which form a record has. Another form is neither damaged nor none: it is refused, and stays.
    private static let version: Int64 = 1

    init(reading sealed: Secret) throws(PushError) {
        let record = try Secret.Record(reading: sealed)
        let fields = record.fields
        guard fields["version"]?.integer == Self.version else {
            throw PushError(
                .unsupportedRecord,
                "A ledger row has another form than version \(Self.version). It is left as it is.")
        }
        var secrets = record.secrets.makeIterator()
        let announcement = try fields.optional("notice") { (json) throws(PushError) in
            guard let context = secrets.next() else { throw Self.damaged }
            return Announcement(try Notice(json: json), context: context)
        }
        self.init(
            id: try fields.required("id", Challenge.ID.init(json:)),
            seen: try fields.required("seen") { $0.date },
            announcement: announcement,
            decided: try fields.optional("decided") { (json) throws(PushError) in
                try DecidedAnswer(json: json, secret: secrets.next())
            },
            outcome: try fields.optional("outcome", Outcome.init(json:)),
            withdrawal: try fields.optional("withdrawal", Withdrawal.init(json:)),
            finished: try fields.optional("finished") { $0.date },
            wasListed: try fields.optional("listed") { $0.bool } ?? false)
    }

    var sealed: Secret {
        var fields: JSON.Object = [
            "version": .integer(Self.version), "id": id.json, "seen": JSON(seen),
        ]
        fields["finished"] = finished.map { JSON($0) }
        if wasListed { fields["listed"] = true }
        fields["notice"] = announcement?.notice.json
        fields["decided"] = decided?.json
        fields["outcome"] = outcome?.json
        fields["withdrawal"] = withdrawal?.json
        let secrets = [announcement?.context, decided?.secret].compactMap(\.self)
        return Secret.Record(fields: fields, secrets: secrets).sealed
    }

    private static let damaged = PushError(.malformed, "A ledger row is damaged.")
}

extension LedgerRow.DecidedAnswer {
    fileprivate init(json: JSON, secret: Secret?) throws(PushError) {
        let members = try json.members()
        resolution = try members.required("resolution", Resolution.init(json:))
        kept = try members.required("kept") { $0.string.flatMap(Answer.Kept.Form.init) }
        mayHaveArrived = try members.required("mayHaveArrived") { $0.bool }
        pause = try members.optional("pause") { (json) throws(PushError) in
            let members = try json.members()
            return LedgerRow.Pause(
                since: try members.required("since") { $0.date },
                length: .seconds(try members.required("seconds") { Self.seconds(in: $0) }))
        }
        lease = try members.optional("lease") { (json) throws(PushError) in
            let members = try json.members()
            return LedgerRow.Lease(
                owner: try members.required("owner") { $0.string },
                since: try members.required("since") { $0.date })
        }
        lacked = try members.optional("lacked") { $0.date }
        self.secret = secret
    }

    /// A day at the most, as for what servers ask.
    private static func seconds(in json: JSON) -> Int64? {
        json.integer.flatMap { (0...86_400).contains($0) ? Int64($0) : nil }
    }

    fileprivate var json: JSON {
        var members: JSON.Object = [
            "resolution": resolution.json, "kept": .string(kept.rawValue),
            "mayHaveArrived": .bool(mayHaveArrived),
        ]
        members["pause"] = pause.map {
            ["since": JSON($0.since), "seconds": .integer(Int64($0.length.inSeconds))]
        }
        members["lacked"] = lacked.map { JSON($0) }
        members["lease"] = lease.map { ["owner": .string($0.owner), "since": JSON($0.since)] }
        return .object(members)
    }
}
