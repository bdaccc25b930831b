import HTTPTypes
import PushCore
import PushJOSE
import PushTesting

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A relying party's view of a process.
struct ServiceSession {
    let process: String
    let token: String
}

/// The manager's face to relying parties, modelled on the vendor's old public documentation.
///
/// That it is still so, and which statuses tell an outcome, is UNCONFIRMED.
extension XignInSimulator {
    func answerService(_ request: HTTPRequest, _ body: Data) -> ServerReply {
        switch (request.method, request.path ?? "") {
        case (.get, "/api/modules"): return ServerReply(status: 200, json: modules)
        case (.post, "/api/push/authenticate"):
            return reply(to: request, body) { members throws(Refusal) in
                try authenticate(members)
            }
        case (.post, "/api/push/authenticate/status"):
            return reply(to: request, body) { members throws(Refusal) in
                try sessionStatus(members)
            }
        default: return ServerReply(status: 404, json: ["error": "not_found"])
        }
    }

    private func reply(
        to request: HTTPRequest, _ body: Data,
        _ perform: (StrictMembers) throws(Refusal) -> (status: Int, json: JSON)
    ) -> ServerReply {
        do throws(Refusal) {
            try requireBearer(request)
            let answer = try perform(StrictMembers(body))
            return ServerReply(status: answer.status, json: answer.json)
        } catch {
            return ServerReply(status: error.status, json: error.data)
        }
    }

    private var modules: JSON {
        let push = configuration.versions.max().map { $0.description }
        return [
            ["name": "CORE", "version": .string(configuration.coreVersion)],
            ["name": "PUSH", "version": JSON(push)],
        ]
    }

    /// The vendor's page writes the field as `Authentication`, surely for `Authorization`: either
    /// will do.
    private func requireBearer(_ request: HTTPRequest) throws(Refusal) {
        let other = HTTPField.Name("Authentication").flatMap { request.headerFields[$0] }
        let bearer = configuration.bearer
        for field in [request.headerFields[.authorization], other] {
            guard let field, field.hasPrefix("Bearer ") else { continue }
            if bearer.isEqualInConstantTime(to: Secret(field.dropFirst(7).utf8)) { return }
        }
        throw Refusal(status: 401, error: "unauthorized", message: "the bearer token is wrong")
    }

    private func authenticate(_ members: StrictMembers) throws(Refusal) -> (status: Int, json: JSON)
    {
        let user = try members.text("identifier")
        guard ["EMAIL", "SUB"].contains(try members.text("type")) else {
            throw .malformed("type is neither EMAIL nor SUB")
        }
        guard try members.text("clientId") == configuration.service.id else {
            throw Refusal(
                status: 403, error: "client_unknown", message: "the service may not send pushes")
        }
        guard let login = try? startLogin(of: user, asking: .confirm) else {
            throw Refusal(status: 404, error: "account_unknown", message: "nobody to push to")
        }
        let session = configuration.identifier(.session)
        let token = configuration.random.bytes(32).withBytes { Base64.encode($0, as: .url) }
        sessions[session] = ServiceSession(process: login.id, token: token)
        return (200, ["loginSessionId": .string(session), "token": .string(token)])
    }

    private func sessionStatus(_ members: StrictMembers) throws(Refusal) -> (
        status: Int, json: JSON
    ) {
        let token = try members.text("token")
        guard let session = sessions[try members.text("loginSessionId")],
            session.token.isEqualInConstantTime(to: token),
            let process = processes[session.process]
        else {
            throw Refusal(status: 404, error: "session_unknown", message: "there is no such login")
        }
        switch process.status(at: configuration.now) {
        case .approved:
            var claims: JSON.Object = ["sub": .string(process.user)]
            for member in process.released?.members ?? [] { claims[member.name] = member.value }
            return (200, ["claims": .object(claims)])
        case .waiting: return (202, ["status": "pending"])
        case .denied: return (403, ["status": "rejected"])
        case .failed: return (410, ["status": "cancelled"])
        case .expired: return (410, ["status": "expired"])
        }
    }
}
