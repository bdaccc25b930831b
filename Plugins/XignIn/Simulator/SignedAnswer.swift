import HTTPTypes
import PushCore
import PushTesting

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// An answer that names its request, so that it can answer no other.
struct SignedAnswer {
    static let lifetime: Int64 = 60

    var data: JSON
    let status: Int
    var issuer: String
    var audience: String
    var request: String
    let time: Int64

    private func claims(status: Int) -> JSON {
        [
            "iss": .string(issuer), "aud": .string(audience), "req": .string(request),
            "st": JSON(status), "iat": JSON(time), "exp": JSON(time + Self.lifetime), "data": data,
        ]
    }

    private mutating func replace(_ member: String, by value: JSON) {
        guard var members = data.object else { return }
        members[member] = value
        data = .object(members)
    }

    /// Signs it, unless a fault says otherwise.
    mutating func reply(
        signedBy key: ManagerKey, orBy rogue: () -> ManagerKey,
        spoiledBy fault: XignInSimulator.BadAnswer?
    ) -> ServerReply {
        var httpStatus = status
        var claimedStatus = status
        var signer = key
        var kid = key.id
        var type = "oxrw-res+jwt"
        switch fault {
        case .unsigned: return ServerReply(status: status, json: data)
        case .wrongKey: signer = rogue()
        case .unknownKey:
            signer = rogue()
            kid = signer.id
        case .tampered(let member, let value):
            let token = signer.token(claims(status: status), type: type, idm: issuer)
            replace(member, by: value)
            let forged = Forgery.token(token, claiming: claims(status: status))
            return ServerReply(status: status, token: forged)
        case .replaced(let member, let value): replace(member, by: value)
        case .request(let jti): request = jti
        case .claimedStatus(let code): claimedStatus = code
        case .status(let code): httpStatus = code
        case .manager(let idm): issuer = idm
        case .audience(let name): audience = name
        case .type(let name): type = name
        case .refusal, nil: break
        }
        let token = signer.token(claims(status: claimedStatus), type: type, idm: issuer, kid: kid)
        return ServerReply(status: httpStatus, token: token)
    }
}

/// An answer on its way out.
struct ServerReply {
    let status: HTTPResponse.Status
    let body: Data
    private let contentType: String

    /// An answer that anyone could have made.
    init(status: Int, json: JSON) {
        self.status = Self.status(status)
        body = json.data
        contentType = "application/json"
    }

    /// A signed answer.
    init(status: Int, token: String) {
        self.status = Self.status(status)
        body = Data(token.utf8)
        contentType = "application/jose"
    }

    private static func status(_ code: Int) -> HTTPResponse.Status {
        HTTPResponse.Status(code: min(max(code, 100), 599))
    }

    var http: SimulatedReply {
        SimulatedReply(status: status, type: contentType, body: body)
    }
}
