import Foundation
import HTTPTypes
import PushCore
import PushTesting

@testable import PushKeycloak

/// A realm as far as these tests need it: it says what the test wants.
actor ScriptedServer {
    /// The requests that a device makes, by the end of their path.
    enum Kind: String, Hashable, CaseIterable {
        case keys = "/protocol/openid-connect/certs"
        case token = "/protocol/openid-connect/token"
        case request = "/request-token/7c9e6679-7425-40de-944b-e07fc1f90ae7"
        case complete = "/enroll/complete"
        case list = "/login/pending"
        case answer = "/respond"
        case lockout = "/login/lockout"
        case address = "/device/push-provider"
        case rotate = "/device/rotate-key"

        init?(_ request: HTTPRequest) {
            let path = (request.path ?? "").prefix { $0 != "?" }
            guard let kind = Self.allCases.first(where: { path.hasSuffix($0.rawValue) }) else {
                return nil
            }
            self = kind
        }
    }

    struct Reply: Sendable, CustomStringConvertible {
        var status = 200
        var body: String
        var type = "application/json"

        var description: String { "\(status) \(type) \(body)" }

        static func json(_ json: JSON) -> Reply { Reply(body: json.text) }

        static func word(_ word: String) -> Reply { .json(["status": .string(word)]) }

        static func refusal(_ status: Int, _ text: String) -> Reply {
            let body: JSON = ["error": .string(text)]
            return Reply(status: status, body: body.text)
        }

        /// What a gateway or a portal says.
        static func page(_ status: Int) -> Reply {
            Reply(status: status, body: "<html><body>Try later</body></html>", type: "text/html")
        }
    }

    private let clock: ManualClock
    private var queued: [Kind: [Reply]] = [:]
    private var always: [Kind: Reply] = [:]
    private var listed: [JSON] = []
    private var dates: Duration?
    private var tokens = 0

    /// The keys that the realm tells.
    var realmKeys = [RealmTestKey.one]

    /// The device's key that the realm takes proofs by; any if `nil`.
    private var deviceKey: String?

    init(clock: ManualClock) { self.clock = clock }

    /// What the next requests of a kind get, in order; whatever follows gets the usual reply.
    func reply(to kind: Kind, _ replies: Reply...) { queued[kind, default: []] += replies }

    func replyAlways(to kind: Kind, _ reply: Reply?) { always[kind] = reply }

    /// What its list has from now on.
    func list(_ entries: JSON.Object...) { listed = entries.map(JSON.object) }

    func tellKeys(_ keys: [RealmTestKey]) { realmKeys = keys }

    /// From now on it takes proofs by this key alone; it goes with a rotation.
    func know(_ key: DeviceKey) { deviceKey = key.thumbprint }

    var knownKey: String? { deviceKey }

    /// Makes replies tell the time by a clock that is ahead of the device's; `nil` for none.
    func tellTime(ahead: Duration?) { dates = ahead }

    func respond(
        to request: HTTPRequest, body: Data
    ) async -> (response: HTTPResponse, body: Data) {
        let reply = reply(to: request, body)
        var fields: HTTPFields = [.contentType: reply.type]
        if let dates { fields[.date] = date(dates) }
        return (
            HTTPResponse(status: .init(code: reply.status), headerFields: fields),
            Data(reply.body.utf8)
        )
    }

    private func reply(to request: HTTPRequest, _ body: Data) -> Reply {
        guard let kind = Kind(request) else { return .page(404) }
        if queued[kind]?.isEmpty == false { return queued[kind]?.removeFirst() ?? .page(500) }
        if let reply = always[kind] { return reply }
        if let refusal = proofRefusal(kind, request) { return refusal }
        return usual(kind, body)
    }

    /// Whether the proof is by the key that the realm knows.
    private func proofRefusal(_ kind: Kind, _ request: HTTPRequest) -> Reply? {
        guard let deviceKey, ![.keys, .token, .request, .complete].contains(kind) else {
            return nil
        }
        let proof = request.headerFields[.init("DPoP") ?? .authorization].flatMap(CompactToken.init)
        let isRight = proof?.header["jwk"]?["kid"]?.string == deviceKey
        return isRight ? nil : .refusal(403, "Invalid DPoP proof signature")
    }

    private func usual(_ kind: Kind, _ body: Data) -> Reply {
        switch kind {
        case .keys:
            return .json(["keys": .array(realmKeys.compactMap { try? $0.jwk })])
        case .token:
            tokens += 1
            return .json([
                "access_token": .string("access-\(tokens)"), "token_type": "DPoP",
                "expires_in": 300,
            ])
        case .request: return .refusal(404, "Enrollment request not found")
        case .complete: return .word("enrolled")
        case .list: return .json(["challenges": .array(listed)])
        case .answer:
            let json = try? JSON(parsing: body)
            let claims = json?["token"]?.string.flatMap(CompactToken.init)?.claims
            return .word(claims?["action"] == "deny" ? "denied" : "approved")
        case .lockout: return .word("locked_out")
        case .address: return .word("updated")
        case .rotate:
            let key = (try? JSON(parsing: body))?["publicKeyJwk"]?["kid"]?.string
            if deviceKey != nil { deviceKey = key }
            return .word("rotated")
        }
    }

    private func date(_ ahead: Duration) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return formatter.string(from: Sample.now + (clock.elapsed + ahead) / .seconds(1))
    }
}
