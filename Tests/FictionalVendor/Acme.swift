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
    var accounts: Accounts { environment.accounts(for: id) }
    var capabilities: Capabilities { options.capabilities }
    var pushServices: [DeviceToken.Service] { options.services }
    var enroller: any Enroller { self }
    var resolver: any Resolver { self }
    var inbox: (any Inbox)? { self }

    static func host(of id: ProviderID) -> String {
        id == "acme" ? "acme.example" : "b.acme.example"
    }

    // MARK: Messages

    func candidate(in message: PushMessage) -> PushMessage.Candidate? {
        let isForThis = message["provider"].map { $0.string == id.rawValue } ?? true
        let isAcmes = message["acme"]?.string != nil || message["acme-hint"]?.string != nil
        return isAcmes && isForThis
            ? PushMessage.Candidate(message, verifiedBy: event(from:in:)) : nil
    }

    private func event(
        from message: PushMessage, in accounts: Accounts
    ) async throws(PushError) -> PushEvent {
        if let topic = message["acme-hint"]?.string { return try hint(topic, in: message) }
        guard let text = message["acme"]?.string, let name = message["to"]?.string,
            let mac = message["mac"]?.string
        else { throw PushError(.malformed, "An Acme push lacks a member.") }
        let enrollment = Enrollment.ID(name, of: id)
        let key = try Self.key(in: try await accounts.existing(enrollment).credential())
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
                PushEvent.Incompatible(
                    id, kind: kind ?? "", withdraws: claims["withdraws"]?.bool ?? false,
                    expiry: AcmeWire.date(claims["expiry"])))
        }
    }

    func announcement(_ id: Challenge.ID, _ claims: JSON, _ proof: Notice.Proof) -> Announcement {
        let notice = Notice(
            id: id, title: claims["title"]?.string, issued: AcmeWire.date(claims["issued"]),
            expiry: AcmeWire.date(claims["expiry"]), proof: proof)
        return Announcement(notice, context: Secret.Record(fields: ["claims": claims]).sealed)
    }

    private func hint(_ topic: String, in message: PushMessage) throws(PushError) -> PushEvent {
        guard options.pushesHints else { throw PushError(.untrusted, "Nobody proves a hint.") }
        let names = (message["at"]?.array ?? []).compactMap(\.string)
        let ids = Set(names.map { Enrollment.ID($0, of: id) })
        switch topic {
        case "challenges": return .hint(PushEvent.Hint(.challenges, at: ids))
        case "finished":
            return .hint(PushEvent.Hint(.finished(message["name"]?.string ?? ""), at: ids))
        case "enrollment": return .hint(PushEvent.Hint(.enrollment, at: ids))
        case "inbox": return .hint(PushEvent.Hint(.inbox, at: ids))
        default: throw PushError(.malformed, "An unknown Acme hint.")
        }
    }

    // MARK: Keys and counters

    static func key(in record: Secret.Record) throws(PushError) -> String {
        guard let key = record.secrets.first else {
            throw PushError(.malformed, "An Acme credential lacks its key.")
        }
        return key.copiedText()
    }

    /// Takes the next value of one of an enrollment's counters.
    static func take(_ counter: String, of record: inout Secret.Record) -> Int64 {
        let number = (record.fields[counter]?.integer ?? 0) + 1
        record.fields[counter] = .integer(number)
        return number
    }

    /// The same durably.
    private func take(_ counter: String, of account: Account) async throws(PushError) -> Int64 {
        guard options.flaw != .forgetsCounters else {
            var record: Secret.Record = try account.credential()
            return Self.take(counter, of: &record)
        }
        return try await account.change { (record: inout Secret.Record, _) in
            Self.take(counter, of: &record)
        }
    }

    // MARK: Requests

    /// Sends a request and returns what the vendor has proved that it said, if it said yes.
    @discardableResult
    func ask(
        _ path: String, _ members: JSON.Object = [:], of account: Account
    ) async throws(PushError) -> JSON {
        let (status, body) = try await exchange(path, members, of: account)
        guard status == 200 else { throw PushError(.server(status: status), "Acme refused.") }
        return body
    }

    /// Sends a request and returns a reply that the vendor has proved.
    ///
    /// - Throws: ``PushError`` `server` for what a gateway says, `interrupted` for what isn't
    ///   whole.
    func exchange(
        _ path: String, _ members: JSON.Object, of account: Account
    ) async throws(PushError) -> (status: Int, body: JSON) {
        let isNumbered = options.numbered == .all || options.numbered == .tokens && path == "/token"
        for _ in 0..<3 {
            var members = members
            if isNumbered { members["n"] = .integer(try await take("n", of: account)) }
            let key = try Self.key(in: account.credential())
            let reply = try await post(path, members, of: account.id, key: key)
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
        let server = Endpoint.ServerID(host: host, of: id)
        let known = await clock.serverTime.now(at: server, elapsed: clock.elapsed)
        return known?.lowerBound ?? clock.now
    }
}

extension Acme: Inbox {
    func messages(of account: Account) async throws(PushError) -> [InboxMessage] {
        let reply = try await ask("/inbox", of: account)
        return (reply["messages"]?.array ?? []).compactMap { message in
            message["id"]?.string.map {
                InboxMessage(
                    id: $0, subject: message["subject"]?.string ?? "",
                    isRead: message["read"]?.bool ?? false)
            }
        }
    }
}
