import HTTPTypes
import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A provider of the fictional vendor Delta, whose protocol asks for all that the core promises:
/// counters, lost replies that can be recovered, and replies that may not be believed unproved.
struct Delta: PushProvider {
    let id: ProviderID
    /// Which services' tokens it takes, most preferred first.
    let pushServices: [PushService]
    let options: DeltaOptions
    let environment: Environment
    /// What is wrong with this provider, in a test of the checker.
    let mutation: Mutation?

    var vault: Vault { environment.vault(for: id) }
    var capabilities: Capabilities { options.capabilities }
    var enroller: any Enroller { self }
    var resolver: any Resolver { self }

    func candidate(in message: PushMessage) -> PushCandidate? {
        guard let text = message["delta"]?.string, message["p"]?.string == id.rawValue else {
            return nil
        }
        let push = DeltaPush(
            text: text, enrollment: message["e"]?.string, mac: message["m"]?.string)
        return PushCandidate(push, verifiedBy: event(from:))
    }

    private func event(from push: DeltaPush) async throws(PushError) -> PushEvent {
        let text = push.text
        guard let name = push.enrollment, let mac = push.mac else {
            throw PushError(.malformed, "A Delta push lacks a member.")
        }
        let enrollment = Enrollment.ID(name, of: id)
        // It says no more than that something waits, so nobody needs to prove it.
        if options.pushesHints, text == DeltaWire.hint.text {
            return .hint(Hint(.challenges, at: [enrollment]))
        }
        let key = try await key(of: enrollment)
        guard mutation == .believesAnything || DeltaWire.mac(text.utf8, key: key) == mac else {
            throw PushError(.untrusted, "The MAC doesn't hold.")
        }
        let claims = try JSON(parsing: text)
        let challenge = claims["c"]?.string.map { Challenge.ID($0, of: enrollment) }
        if mutation == .sharesSignedTimes { try await tellOthers(of: claims, but: enrollment) }
        switch (claims["kind"]?.string, challenge) {
        case ("ask", let challenge?): return .notice(announcement(challenge, claims, .mac))
        case ("cancelled", let challenge?): return .withdrawal(Withdrawal(challenge, .cancelled))
        case ("elsewhere", let challenge?): return .withdrawal(Withdrawal(challenge, .elsewhere))
        default: throw PushError(.malformed, "An unknown Delta push.")
        }
    }

    /// Tells the time of one enrollment's push as one that every other's key signed, twice.
    private func tellOthers(
        of claims: JSON, but enrollment: Enrollment.ID
    ) async throws(PushError) {
        guard let issued = Self.date(claims["issued"]) else { return }
        let clock = environment.clock
        for other in try await vault.enrollments() where other.id != enrollment {
            for _ in 0..<2 {
                await clock.serverTime.note(
                    signed: issued, for: other.id, sent: clock.elapsed, received: clock.elapsed)
            }
        }
    }

    private static func date(_ json: JSON?) -> Date? {
        json?.integer.map { Date(timeIntervalSince1970: Double($0) / 1000) }
    }

    func announcement(
        _ id: Challenge.ID, _ claims: JSON, _ proof: Proof
    ) -> Announcement {
        let notice = Notice(
            id: id, title: "Log in?", issued: Self.date(claims["issued"]),
            expiry: Self.date(claims["expiry"]), proof: proof)
        return Announcement(
            notice,
            context: SecretRecord(fields: ["prompt": claims["prompt"] ?? .null]).sealed)
    }

    // MARK: Requests

    func key(of enrollment: Enrollment.ID) async throws(PushError) -> String {
        guard let secret = try await vault.secret(of: enrollment) else {
            throw PushError(.unknownEnrollment, "There is no such enrollment.", provider: id)
        }
        return try key(in: secret)
    }

    private func key(in secret: Secret) throws(PushError) -> String {
        let secrets = try SecretRecord(reading: secret).secrets
        guard let secret = secrets.first else {
            throw PushError(.malformed, "A Delta credential lacks its key.")
        }
        return secret.copiedText()
    }

    /// Takes the next value of one of an enrollment's counters, durably.
    func take(
        _ counter: String, of enrollment: Enrollment.ID
    ) async throws(PushError) -> (number: Int64, key: String) {
        if mutation == .forgetsCounters {
            let credential = try await vault.existing(enrollment)
            let record = try SecretRecord(reading: credential.secret)
            return ((record.fields[counter]?.integer ?? 0) + 1, try key(in: credential.secret))
        }
        return try await vault.update(enrollment) { (credential) throws(PushError) in
            var record = try SecretRecord(reading: credential.secret)
            let number = (record.fields[counter]?.integer ?? 0) + 1
            record.fields[counter] = .integer(number)
            credential.secret = record.sealed
            return (number, try key(in: credential.secret))
        }
    }

    /// Sends a request and returns a reply that the vendor has proved.
    ///
    /// - Throws: ``PushError`` `server` for what a gateway says, `interrupted` for what isn't whole.
    func exchange(
        _ path: String, _ members: JSON.Object, at enrollment: Enrollment.ID
    ) async throws(PushError) -> (status: Int, body: JSON) {
        for _ in 0..<3 {
            var members = members
            members["e"] = .string(enrollment.name)
            let key: String
            if options.numbersRequests || path == "/token" {
                let (number, found) = try await take("n", of: enrollment)
                members["n"] = .integer(number)
                key = found
            } else {
                key = try await self.key(of: enrollment)
            }
            let reply = try await post(path, members, key: key)
            guard reply.status == 409, reply.body["why"]?.string == "stale" else { return reply }
        }
        throw PushError(.server(status: 503), "Another process overtook every request.")
    }

    private func post(
        _ path: String, _ members: JSON.Object, key: String
    ) async throws(PushError) -> (status: Int, body: JSON) {
        let data = JSON.object(members).data
        var request = HTTPRequest(
            method: .post, scheme: "https", authority: DeltaWire.host, path: path)
        guard let field = DeltaWire.macField else {
            throw PushError(.invalidArgument, "The field's name is none.")
        }
        request.headerFields[field] = DeltaWire.mac(data, key: key)
        let reply = try await environment.transport.send(request, body: data)
        let status = reply.response.status.code
        let mac = reply.response.headerFields[field]
        if mac == DeltaWire.mac(reply.body, key: key, over: status) {
            return (status, try JSON(parsing: reply.body))
        }
        guard mac == nil else { throw PushError(.interrupted, "The reply isn't whole.") }
        throw PushError(.server(status: status), "A stranger's word.")
    }

    func enroll(
        _ members: JSON.Object, key: String
    ) async throws(PushError) -> (status: Int, body: JSON) {
        try await post("/enroll", members, key: key)
    }
}

/// A push by its shape alone: nothing of it is proved.
private struct DeltaPush {
    let text: String
    let enrollment: String?
    let mac: String?
}
