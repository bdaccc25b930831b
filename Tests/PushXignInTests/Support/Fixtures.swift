import Crypto
import Foundation
import IndependentEncodings
import PushCore
import PushTesting
import PushXignIn
import PushXignInReference

/// Messages of every kind that the plugin meets, for a harness that was just personalized. No two
/// genuine ones are about the same process.
struct Fixtures {
    let harness: XignInHarness

    private var key: SigningKey { harness.manager.key }

    private func push(_ pid: String, kind: String = "authentication") async -> Push {
        await harness.manager.push(pid, to: WorkedExample.activation, kind: kind)
    }

    func genuine() async throws -> [PushMessage] {
        let first = await push("prc-full")
        let minimal = await push("prc-minimal").with("title", nil).with("message", nil)
            .with("prio", nil).with("ign", true)
        let cancel = await push("prc-cancel", kind: "cancel").with("reason", "aborted")
        let late = await push("prc-late", kind: "cancel")
            .with("iat", .number(.init(Int64(WorkedExample.now - 86_400))))
            .with("exp", .number(.init(Int64(WorkedExample.now - 86_000))))
        let newer = await push("prc-newer").with("min_api", "2.0.0")
        let unknown = await push("prc-unknown", kind: "transaction_v2")
        let newerCancel = await push("prc-newer-cancel", kind: "cancel").with("min_api", "1.1.0")
        let userInfo: [AnyHashable: Any] = [
            "aps": ["content-available": 1] as [String: any Sendable], "oxrw": "1",
            "oxrw_msg": try await push("prc-apns").token(key),
        ]
        return try [first, minimal, cancel, late, newer, unknown, newerCancel]
            .map { try $0.message(key) } + [PushMessage(userInfo: userInfo)]
    }

    /// OXRW/1's form, but not the manager's doing. None names an unknown key: such a push makes the
    /// phone ask for the keys and remember when it did.
    func forged() async throws -> [PushMessage] {
        let vectors = try Vectors()
        let examples = try ["rogue_key_same_kid", "tampered_pid", "alg_none"].map {
            PushMessage(fcm: Push.data(try vectors.push($0)))
        }
        let push = await push("prc-forged")
        // Another push's signature under each claim's change.
        let parts = try push.token(key).split(separator: ".")
        let changed = push.claims.members.map { name, _ in
            let body = base64url(JSON.object(push.with(name, "0").claims).text)
            return PushMessage(fcm: Push.data("\(parts[0]).\(body).\(parts[2])"))
        }
        let other = SigningKey()
        return examples + changed + [
            try push.message(other),
            try push.with(header: "idm", "idm-nobody").message(other),
            try push.with("aud", "act-other").message(key),
            PushMessage(fcm: Push.data("\(parts[0]).\(parts[1]).")),
        ]
    }

    func foreign() throws -> [PushMessage] {
        try [
            "{}", #"{"aps":{"alert":"Hello","badge":3}}"#, #"{"acme":{"id":"1"},"aps":{}}"#,
            #"{"gcm.message_id":"1"}"#, #"{"oxrw_msg":"x"}"#,
        ].map { try PushMessage(json: Data($0.utf8)) } + [
            PushMessage(fcm: ["type": "acme", "message": "Hello"])
        ]
    }

    func malformed() async throws -> [PushMessage] {
        let push = await push("prc-malformed")
        let tokens = ["x", "a.b", "a.b.c", "a.b.c.d", "..", "\u{1F600}.\u{1F600}.\u{1F600}", ""]
        let bent = [
            push.with("pid", nil), push.with("pid", ""), push.with("exp", 0), push.with("iat", nil),
            push.with("ign", "true"), push.with("msg", nil), push.with("min_api", 1),
            push.with("iss", "idm-other"), push.with(header: "typ", "JWT"),
            push.with(header: "crit", ["exp"]),
        ]
        return try tokens.map { PushMessage(fcm: Push.data($0)) } + bent.map { try $0.message(key) }
            + [PushMessage(fcm: ["oxrw": "1"]), PushMessage(fcm: ["oxrw": "2", "oxrw_msg": "x"])]
    }

    func expired() async throws -> [PushMessage] {
        try [
            await push("prc-expired").with("iat", .number(.init(Int64(WorkedExample.now - 600))))
                .with("exp", .number(.init(Int64(WorkedExample.now - 300)))).message(key)
        ]
    }

    func withdrawals() async throws -> [ProviderFixtures.Pair] {
        var pairs: [ProviderFixtures.Pair] = []
        for reason in ["processed_elsewhere", "aborted", "completed", "expired", "later"] {
            let announcement = await push("prc-pair-\(reason)")
            let withdrawal = await push("prc-pair-\(reason)", kind: "cancel")
                .with("reason", .string(reason))
            pairs.append(
                .init(
                    announcement: try announcement.message(key),
                    withdrawal: try withdrawal.message(key)))
        }
        let announcement = await push("prc-pair-newer")
        let newer = await push("prc-pair-newer", kind: "cancel").with("min_api", "9.0.0")
        pairs.append(
            .init(
                announcement: try announcement.message(key), withdrawal: try newer.message(key)))
        return pairs
    }

    func all() async throws -> ProviderFixtures {
        var fixtures = ProviderFixtures(genuine: try await genuine())
        fixtures.forged = try await forged()
        fixtures.foreign = try foreign()
        fixtures.malformed = try await malformed()
        fixtures.expired = try await expired()
        fixtures.withdrawals = try await withdrawals()
        let push = await push("prc-signed")
        let cancel = await self.push("prc-signed", kind: "cancel").with("reason", "aborted")
        let (key, header) = (key, push.header)
        fixtures.signing = .init(claims: [.object(push.claims), .object(cancel.claims)]) {
            (claims) throws(PushError) in
            guard let members = claims.object else {
                throw PushError(.invalidArgument, "Claims are an object.")
            }
            do {
                return try Push(header, members).message(key)
            } catch {
                throw PushError(.malformed, "It is no push.", underlying: error)
            }
        }
        return fixtures
    }
}
