import Foundation
import HTTPTypes
import IndependentEncodings
import PushCore
import PushTesting

@testable import PushKeycloak

/// A realm as far as these tests need it: it says what the test wants.
typealias ScriptedServer = StandInServer<RealmScript>

struct RealmScript: ServerScript {
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

    private let clock: ManualClock
    private var tokens = 0
    fileprivate var listed: [JSON] = []

    /// How far its clock is ahead of the device's; it tells no time if `nil`.
    fileprivate var ahead: Duration?

    /// The keys that the realm tells.
    fileprivate var realmKeys = [RealmTestKey.one]

    /// The device's key that the realm takes proofs by; any if `nil`.
    fileprivate var deviceKey: String?

    init(clock: ManualClock) { self.clock = clock }

    var date: String? {
        ahead.map { httpDate(Sample.now + (clock.elapsed + $0) / .seconds(1)) }
    }

    static func kind(of request: HTTPRequest, _ body: Data) -> Kind? { Kind(request) }

    mutating func reply(
        to kind: Kind?, _ request: HTTPRequest, _ body: Data
    ) -> ScriptedReply {
        guard let kind else { return .page(404) }
        return proofRefusal(kind, request) ?? usual(kind, body)
    }

    /// Whether the proof is by the key that the realm knows.
    private func proofRefusal(_ kind: Kind, _ request: HTTPRequest) -> ScriptedReply? {
        guard let deviceKey, ![.keys, .token, .request, .complete].contains(kind) else {
            return nil
        }
        let proof = request.headerFields[.init("DPoP") ?? .authorization].flatMap(CompactToken.init)
        let isRight = proof?.header["jwk"]?["kid"]?.string == deviceKey
        return isRight ? nil : .refusal(403, "Invalid DPoP proof signature")
    }

    private mutating func usual(_ kind: Kind, _ body: Data) -> ScriptedReply {
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
}

extension ScriptedReply {
    static func word(_ word: String) -> ScriptedReply { .json(["status": .string(word)]) }

    static func refusal(_ status: Int, _ text: String) -> ScriptedReply {
        .json(["error": .string(text)], status: status)
    }
}

extension StandInServer<RealmScript> {
    /// What its list has from now on.
    func list(_ entries: JSON.Object...) { script.listed = entries.map(JSON.object) }

    func tellKeys(_ keys: [RealmTestKey]) { script.realmKeys = keys }

    /// From now on it takes proofs by this key alone; it goes with a rotation.
    func know(_ key: DeviceKey) { script.deviceKey = key.thumbprint }

    var knownKey: String? { script.deviceKey }

    /// Makes replies tell the time by a clock that is ahead of the device's; `nil` for none.
    func tellTime(ahead: Duration?) { script.ahead = ahead }
}
