import Foundation
import HTTPTypes
import PushCore
import PushTesting

/// A provider of the fictional vendor Acme: the double that the core is tested with.
struct Acme: PushProvider, Enroller, Resolver {
    struct Options: Sendable {
        var capabilities: Capabilities = [.pendingList, .denyReasons, .tokenUpdate, .tokenRemoval]
        var kept: Kept.Form = .whole
        var asks: [[Factor]] = []
        var verification: [[Factor]] = []
        var state: Enrollment.State = .active
        var knowsStatus = true
        var services: [PushService] = [.apns, .fcm]
        /// Whether its list is said to be complete.
        var listsAll = false
        /// Whether each request tells the time, as far as the server's clock is known.
        var tellsTime = false
        /// Whether the record is written as pending before the request, and promoted by its reply.
        var isTwoPhase = false
        /// Whether each answer takes the next value of a counter.
        var counts = false
    }

    let id: ProviderID
    let options: Options
    let environment: Environment

    init(_ id: ProviderID = "acme", _ options: Options = Options(), in environment: Environment) {
        self.id = id
        self.options = options
        self.environment = environment.scoped(to: id)
    }

    var host: String { id == "acme" ? "acme.example" : "b.acme.example" }
    var vault: Vault { environment.vault(for: id) }
    var capabilities: Capabilities { options.capabilities }
    var pushServices: [PushService] { options.services }
    var enroller: any Enroller { self }
    var resolver: any Resolver { self }
    var inbox: (any Inbox)? { self }

    func candidate(in message: PushMessage) -> PushCandidate? {
        guard message["acme"]?.string != nil || message["acme-hint"]?.string != nil else {
            return nil
        }
        return PushCandidate(message, verifiedBy: event(from:))
    }

    private func event(from message: PushMessage) async throws(PushError) -> PushEvent {
        if message["acme-hint"] != nil { return try await hint(message) }
        guard let text = message["acme"]?.string, let account = message["to"]?.string,
            let mac = message["mac"]?.string
        else { throw PushError(.malformed, "An Acme push lacks a member.") }
        let enrollment = Enrollment.ID(account, of: id)
        let expected = AcmeWire.mac(text, key: AcmeKey(try await vault.existing(enrollment)).key)
        guard expected == mac else { throw PushError(.untrusted, "The MAC doesn't hold.") }
        return try event(try JSON(parsing: text), at: enrollment)
    }

    private func event(
        _ claims: JSON, at enrollment: Enrollment.ID
    ) throws(PushError) -> PushEvent {
        guard let name = claims["id"]?.string else {
            throw PushError(.malformed, "The claims lack an identifier.")
        }
        let challenge = Challenge.ID(name, of: enrollment)
        switch claims["kind"]?.string {
        case "ask":
            return .notice(announcement(challenge, claims, .mac))
        case "cancel":
            let reason = claims["reason"]?.string.flatMap(Withdrawal.Reason.init(rawValue:))
            return .withdrawal(Withdrawal(challenge, reason ?? .cancelled))
        case let kind:
            return .incompatible(
                IncompatibleChallenge(
                    challenge, kind: kind ?? "", withdraws: claims["withdraws"]?.bool ?? false,
                    expiry: date(claims["expiry"])))
        }
    }

    private func announcement(
        _ id: Challenge.ID, _ claims: JSON, _ proof: Proof
    ) -> Announcement {
        let notice = Notice(
            id: id, title: claims["title"]?.string, issued: date(claims["issued"]),
            expiry: date(claims["expiry"]), proof: proof)
        return Announcement(notice, context: SecretRecord(fields: ["claims": claims]).sealed)
    }

    private func date(_ json: JSON?) -> Date? {
        json?.integer.map { Date(timeIntervalSince1970: Double($0)) }
    }

    private func hint(_ message: PushMessage) async throws(PushError) -> PushEvent {
        let known = Set(try await vault.enrollments().map(\.id))
        let named = (message["at"]?.array ?? []).compactMap(\.string)
        let ids = known.filter { named.contains($0.name) }
        let name = message["name"]?.string ?? ""
        switch message["acme-hint"]?.string {
        case "challenges": return .hint(Hint(.challenges, at: ids))
        case "finished": return .hint(Hint(.finished(name), at: ids))
        case "enrollment": return .hint(Hint(.enrollment, at: ids))
        case "inbox": return .hint(Hint(.inbox, at: ids))
        default: throw PushError(.malformed, "An unknown Acme hint.")
        }
    }

    // MARK: Enroller

    func offer(_ invitation: Invitation) throws(PushError) -> Offer? {
        guard case .scanned(let secret) = invitation else { return nil }
        let text = secret.copiedText()
        guard text.hasPrefix("acme:") else { return nil }
        guard text != "acme:" else {
            throw PushError(.invalidInvitation, "The account is missing.")
        }
        return Offer(
            provider: id, invitation: invitation, issuer: "Acme",
            account: String(text.dropFirst(5)),
            host: host, asks: options.asks)
    }

    func enroll(
        _ offer: Offer, with evidence: [Evidence], deviceToken: DeviceToken?
    ) async throws(PushError) -> Enrollment {
        let account = offer.account ?? ""
        var enrollment = Enrollment(
            id: Enrollment.ID(account, of: id), issuer: offer.issuer, account: account, host: host,
            state: options.state, created: environment.clock.now)
        enrollment.deviceToken = deviceToken
        let pin = evidence.contains { if case .pin = $0 { true } else { false } }
        let secret = Secret(Array(AcmeWire.key(of: account).utf8))
        if options.isTwoPhase {
            var half = enrollment
            half.state = .pending(.unconfirmed)
            half.deviceToken = nil
            try await vault.create(Credential(half, secret: secret))
        }
        try await post(
            "/enroll",
            ["account": .string(account), "token": token(deviceToken), "pin": .bool(pin)])
        let whole = enrollment
        if options.isTwoPhase {
            try await vault.update(whole.id) { $0.enrollment = whole }
        } else {
            try await vault.create(Credential(whole, secret: secret))
        }
        return whole
    }

    func update(
        _ deviceToken: DeviceToken?, for enrollment: Enrollment.ID
    ) async throws(PushError) {
        guard capabilities.contains(.tokenUpdate) else {
            throw PushError(.unsupported, "Acme has no call for it.")
        }
        try await post(
            "/token", ["account": .string(enrollment.name), "token": token(deviceToken)])
    }

    func refresh(_ enrollment: Enrollment.ID) async throws(PushError) -> Enrollment {
        let reply = try await post("/state", ["account": .string(enrollment.name)])
        let blocked = reply["blocked"]?.bool == true
        return try await vault.update(enrollment) { credential in
            credential.enrollment.state = blocked ? .blocked("policy") : .active
            return credential.enrollment
        }
    }

    func remove(_ enrollment: Enrollment.ID, from place: Removal) async throws(PushError) {
        try await post("/remove", ["account": .string(enrollment.name)])
        try await vault.delete(enrollment)
    }

    private func token(_ token: DeviceToken?) -> JSON {
        switch token {
        case .fcm(let text)?, .apns(let text, _)?: .string(text)
        default: .null
        }
    }

    // MARK: Resolver

    func challenge(for announcement: Announcement) async throws(PushError) -> Opened {
        let claims = try SecretRecord(reading: announcement.context).fields["claims"]
        let prompt: Challenge.Prompt =
            switch claims?["prompt"]?.string {
            case "approve": .approve
            case "choose": .choose(["12", "34", "56"])
            // Of two digits, unless the prompt says how many, such as `enter6`.
            case let text? where text.hasPrefix("enter"):
                .enter(digits: Int(text.dropFirst(5)) ?? 2)
            default: .denyOnly("an unknown prompt")
            }
        return Opened(
            Challenge(
                for: announcement.notice, prompt: prompt, verification: options.verification,
                context: announcement.context))
    }

    func prepare(_ decision: Decision) async throws(PushError) -> Answer {
        _ = try await vault.existing(decision.announcement.notice.id.enrollment)  // Its key signs.
        let choice =
            switch decision.resolution {
            case .approve: "approve"
            case .choose(let text), .enter(let text): "number:\(text)"
            case .deny(.custom(let text)): "deny:\(text)"
            case .deny(let reason): "deny:\(reason)"
            }
        var members: JSON.Object = [
            "id": .string(decision.announcement.notice.id.name), "choice": .string(choice),
            "extras": decision.extras(as: String.self).map(JSON.string) ?? .null,
        ]
        if options.counts {
            let enrollment = decision.announcement.notice.id.enrollment
            members["counter"] = .integer(try await nextCount(of: enrollment))
        }
        for case .pin(let pin) in decision.evidence {
            members["pin"] = .string(pin.copiedText())
        }
        let part = Self.part(of: decision.announcement)
        return Answer(Secret(JSON.object(members).utf8), kept: Kept(options.kept, part: part))
    }

    func send(
        _ answer: Answer, for announcement: Announcement, again: Bool
    ) async throws(PushError) -> Reply {
        Reply(try await word(on: answer, for: announcement, again: again))
    }

    private func word(
        on answer: Answer, for announcement: Announcement, again: Bool
    ) async throws(PushError) -> Outcome {
        var members = try answer.bytes.withBytes { (bytes) throws(PushError) in
            try JSON(parsing: bytes).object ?? [:]
        }
        members["again"] = .bool(again)
        let (status, reply) = try await exchange("/answer", .object(members))
        if reply["answered"]?.bool == true {
            return again
                ? .unknown("Somebody has answered, perhaps this device.") : .answeredElsewhere
        }
        switch (status, reply["said"]?.string) {
        case (200, _): return .delivered
        case (409, "wrong"):
            return .notTaken(
                .init(
                    .wrongChoice, mayRetry: true,
                    appliesToAllCopies: reply["untaken"]?.bool ?? false,
                    attemptsLeft: reply["left"]?.integer.map(Int.init)))
        case (403, "pin"):
            return .notTaken(
                .init(
                    .verification, mayRetry: false,
                    appliesToAllCopies: reply["untaken"]?.bool ?? false,
                    status: 403))
        case (410, "expired"): return .expired
        default: throw PushError(.server(status: status), "Acme can't say.", provider: id)
        }
    }

    func status(
        of announcement: Announcement, kept: Secret?
    ) async throws(PushError) -> Challenge.Status {
        guard options.knowsStatus else { return .unknown }
        let isOwn = kept.map { $0.isEqualInConstantTime(to: Self.part(of: announcement)) }
        guard options.kept != .part || isOwn != false else { return .unknown }
        let reply = try await post("/status", ["id": .string(announcement.notice.id.name)])
        switch reply["status"]?.string {
        case "open": return .open
        case "answered": return .over(.delivered)
        case "expired": return .over(.expired)
        case "elsewhere": return .over(.answeredElsewhere)
        default: return .unknown
        }
    }

    func pending(
        for enrollment: Enrollment.ID, after hint: Hint?
    ) async throws(PushError) -> Pending {
        let reply = try await post("/pending", ["account": .string(enrollment.name)])
        let waiting = (reply["pending"]?.array ?? []).compactMap { claims in
            claims["id"]?.string.map {
                announcement(Challenge.ID($0, of: enrollment), claims, .fetched)
            }
        }
        return Pending(waiting, isComplete: options.listsAll)
    }

    private func nextCount(of enrollment: Enrollment.ID) async throws(PushError) -> Int64 {
        try await vault.update(enrollment) { credential in
            var key = AcmeKey(credential)
            key.counter += 1
            credential.secret = key.secret
            return key.counter
        }
    }
}
