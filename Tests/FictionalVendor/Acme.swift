import HTTPTypes
import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A provider of the fictional vendor Acme, whose protocol can ask for all that the core promises:
/// counters, lost replies that can be recovered, and replies that may not be believed unproved.
struct Acme: PushProvider {
    let id: ProviderID
    let options: Options
    let environment: PushEnvironment

    init(_ id: ProviderID = "acme", _ options: Options = Options(), in environment: PushEnvironment)
    {
        self.id = id
        self.options = options
        self.environment = environment.scoped(to: id)
            .heedingPauses { response, _ in
                response.status == .tooManyRequests && response.mayHoldJSON
            }
    }

    var host: String { Self.host(of: id) }
    var vault: Vault { environment.vault(for: id) }
    var capabilities: Capabilities { options.capabilities }
    var pushServices: [PushService] { options.services }
    var enroller: any Enroller { self }
    var resolver: any Resolver { self }
    var inbox: (any Inbox)? { self }

    static func host(of id: ProviderID) -> String {
        id == "acme" ? "acme.example" : "b.acme.example"
    }

    // MARK: Messages

    func candidate(in message: PushMessage) -> PushCandidate? {
        let isForThis = message["provider"].map { $0.string == id.rawValue } ?? true
        let isAcmes = message["acme"]?.string != nil || message["acme-hint"]?.string != nil
        return isAcmes && isForThis ? PushCandidate(message, verifiedBy: event(from:)) : nil
    }

    private func event(from message: PushMessage) async throws(PushError) -> PushEvent {
        if let topic = message["acme-hint"]?.string { return try hint(topic, in: message) }
        guard let text = message["acme"]?.string, let name = message["to"]?.string,
            let mac = message["mac"]?.string
        else { throw PushError(.malformed, "An Acme push lacks a member.") }
        let enrollment = Enrollment.ID(name, of: id)
        let key = try await key(of: enrollment)
        guard options.flaw == .believesAnything || AcmeWire.mac(text.utf8, key: key) == mac else {
            throw PushError(.untrusted, "The MAC doesn't hold.")
        }
        let claims = try JSON(parsing: text)
        guard let name = claims["id"]?.string else {
            throw PushError(.malformed, "The claims lack an identifier.")
        }
        return event(Challenge.ID(name, of: enrollment), claims)
    }

    private func event(_ id: Challenge.ID, _ claims: JSON) -> PushEvent {
        switch claims["kind"]?.string {
        case "ask":
            return .notice(announcement(id, claims, .mac))
        case "cancel":
            let reason = claims["reason"]?.string.flatMap(Withdrawal.Reason.init(rawValue:))
            return .withdrawal(Withdrawal(id, reason ?? .cancelled))
        case let kind:
            return .incompatible(
                IncompatibleChallenge(
                    id, kind: kind ?? "", withdraws: claims["withdraws"]?.bool ?? false,
                    expiry: AcmeWire.date(claims["expiry"])))
        }
    }

    func announcement(_ id: Challenge.ID, _ claims: JSON, _ proof: Proof) -> Announcement {
        let notice = Notice(
            id: id, title: claims["title"]?.string, issued: AcmeWire.date(claims["issued"]),
            expiry: AcmeWire.date(claims["expiry"]), proof: proof)
        return Announcement(notice, context: SecretRecord(fields: ["claims": claims]).sealed)
    }

    private func hint(_ topic: String, in message: PushMessage) throws(PushError) -> PushEvent {
        guard options.pushesHints else { throw PushError(.untrusted, "Nobody proves a hint.") }
        let names = (message["at"]?.array ?? []).compactMap(\.string)
        let ids = Set(names.map { Enrollment.ID($0, of: id) })
        switch topic {
        case "challenges": return .hint(Hint(.challenges, at: ids))
        case "finished": return .hint(Hint(.finished(message["name"]?.string ?? ""), at: ids))
        case "enrollment": return .hint(Hint(.enrollment, at: ids))
        case "inbox": return .hint(Hint(.inbox, at: ids))
        default: throw PushError(.malformed, "An unknown Acme hint.")
        }
    }

    // MARK: Keys and counters

    func key(of enrollment: Enrollment.ID) async throws(PushError) -> String {
        try key(in: try await vault.existing(enrollment).secret)
    }

    private func key(in secret: Secret) throws(PushError) -> String {
        guard let key = try SecretRecord(reading: secret).secrets.first else {
            throw PushError(.malformed, "An Acme credential lacks its key.")
        }
        return key.copiedText()
    }

    /// Takes the next value of one of an enrollment's counters, durably.
    func take(
        _ counter: String, of enrollment: Enrollment.ID
    ) async throws(PushError) -> (number: Int64, key: String) {
        if options.flaw == .forgetsCounters {
            let secret = try await vault.existing(enrollment).secret
            let record = try SecretRecord(reading: secret)
            return ((record.fields[counter]?.integer ?? 0) + 1, try key(in: secret))
        }
        return try await vault.update(enrollment) { (credential) throws(PushError) in
            var record = try SecretRecord(reading: credential.secret)
            let number = (record.fields[counter]?.integer ?? 0) + 1
            record.fields[counter] = .integer(number)
            credential.secret = record.sealed
            return (number, try key(in: credential.secret))
        }
    }

    // MARK: Requests

    /// Sends a request and returns what the vendor has proved that it said, if it said yes.
    @discardableResult
    func ask(
        _ path: String, _ members: JSON.Object = [:], at enrollment: Enrollment.ID
    ) async throws(PushError) -> JSON {
        let (status, body) = try await exchange(path, members, at: enrollment)
        guard status == 200 else { throw PushError(.server(status: status), "Acme refused.") }
        return body
    }

    /// Sends a request and returns a reply that the vendor has proved.
    ///
    /// - Throws: ``PushError`` `server` for what a gateway says, `interrupted` for what isn't whole.
    func exchange(
        _ path: String, _ members: JSON.Object, at enrollment: Enrollment.ID
    ) async throws(PushError) -> (status: Int, body: JSON) {
        let isNumbered = options.numbered == .all || options.numbered == .tokens && path == "/token"
        for _ in 0..<3 {
            var members = members
            let key: String
            if isNumbered {
                let (number, found) = try await take("n", of: enrollment)
                members["n"] = .integer(number)
                key = found
            } else {
                key = try await self.key(of: enrollment)
            }
            let reply = try await post(path, members, of: enrollment, key: key)
            guard reply.status == 409, reply.body["why"]?.string == "stale" else { return reply }
        }
        throw PushError(.server(status: 503), "Another process overtook every request.")
    }

    func post(
        _ path: String, _ members: JSON.Object, of enrollment: Enrollment.ID, key: String
    ) async throws(PushError) -> (status: Int, body: JSON) {
        var members = members
        members["account"] = .string(enrollment.name)
        if options.tellsTime { members["time"] = AcmeWire.milliseconds(await serverTime()) }
        let data = JSON.object(members).data
        var request = try Endpoint("https://\(host)\(path)").request(.post)
        request.headerFields[AcmeWire.macField] = AcmeWire.mac(data, key: key)
        let reply = try await environment.transport.send(request, body: data)
        let status = reply.response.status.code
        let mac = reply.response.headerFields[AcmeWire.macField]
        if mac == AcmeWire.mac(reply.body, key: key, over: status) {
            return (status, try JSON(parsing: reply.body))
        }
        guard mac == nil else { throw PushError(.interrupted, "The reply isn't whole.") }
        throw PushError(.server(status: status), "A stranger's word.")
    }

    private func serverTime() async -> Date {
        let clock = environment.clock
        let server = ServerID(host: host, of: id)
        let known = await clock.serverTime.now(at: server, elapsed: clock.elapsed)
        return known?.lowerBound ?? clock.now
    }
}

extension Acme: Inbox {
    func messages(of enrollment: Enrollment.ID) async throws(PushError) -> [InboxMessage] {
        let reply = try await ask("/inbox", at: enrollment)
        return (reply["messages"]?.array ?? []).compactMap { message in
            message["id"]?.string.map {
                InboxMessage(
                    id: $0, subject: message["subject"]?.string ?? "",
                    isRead: message["read"]?.bool ?? false)
            }
        }
    }
}
