import HTTPTypes
import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension PowerAuthSimulator {
    /// The calls of a mobile app, by their paths.
    public enum Call: String, Hashable, Sendable, CaseIterable {
        /// Makes a temporary key.
        case keystore = "/pa/v3/keystore/create"
        /// Exchanges keys.
        case activation = "/pa/v3/activation/create"
        /// Tells how an activation stands.
        case status = "/pa/v3/activation/status"
        /// Removes an activation.
        case removal = "/pa/v3/activation/remove"
        /// Creates a token.
        case tokenCreation = "/pa/v3/token/create"
        /// Removes a token.
        case tokenRemoval = "/pa/v3/token/remove"
        /// Checks a signature, and does nothing else.
        case validation = "/pa/v3/signature/validate"
        /// Hands out the key of the vault.
        case vault = "/pa/v3/vault/unlock"
        /// Tells of an identity provider.
        case provider = "/api/config/oidc"
        /// Tells an activation's name.
        case activationDetail = "/pa/v3/activation/detail"
        /// Gives an activation another name.
        case renaming = "/pa/v3/activation/rename"
        /// Tells of the user.
        case userInfo = "/pa/v3/user/info"
        /// Tells the server's time.
        case time = "/pa/v3/status"
        /// Registers for pushes.
        case registration = "/api/push/device/register/token"
        /// Registers for pushes, by the older path.
        case olderRegistration = "/api/push/device/register"
        /// Lists what waits.
        case list = "/api/auth/token/app/operation/list"
        /// Shows an operation.
        case detail = "/api/auth/token/app/operation/detail"
        /// Takes an operation that has no user yet.
        case claim = "/api/auth/token/app/operation/detail/claim"
        /// Lists what was.
        case history = "/api/auth/token/app/operation/history"
        /// Approves.
        case authorize = "/api/auth/token/app/operation/authorize"
        /// Rejects.
        case cancel = "/api/auth/token/app/operation/cancel"
        /// Counts unread messages.
        case inboxCount = "/api/inbox/count"
        /// Lists messages.
        case inboxList = "/api/inbox/message/list"
        /// Shows a message.
        case inboxDetail = "/api/inbox/message/detail"
        /// Marks a message as read.
        case inboxRead = "/api/inbox/message/read"
        /// Marks all messages as read.
        case inboxReadAll = "/api/inbox/message/read-all"
    }
}

/// A call as it came.
struct IncomingCall {
    let call: PowerAuthSimulator.Call
    let request: HTTPRequest
    let body: Data
    let fault: PowerAuthSimulator.BadAnswer?

    func header(_ name: HTTPField.Name) -> String? { request.headerFields[name] }

    /// The body, once through the strict reader.
    var json: JSON? { try? JSON(parsing: body) }

    /// What plain endpoints wrap their request in.
    var object: JSON.Object? { json?["requestObject"]?.object }

    /// Refuses anything but `{}`, which calls without parameters send.
    func requireEmpty() throws(Refusal) {
        guard json?.object?.isEmpty == true else { throw .invalidRequest }
    }
}

extension PowerAuthSimulator {
    func answer(_ request: HTTPRequest, _ body: Data) -> ServerReply {
        let path = request.path.map { $0.prefix { $0 != "?" } } ?? ""
        guard let call = Call(rawValue: String(path)) else {
            return answerResource(request, body)
        }
        let fault = takeFault(at: call)
        do throws(Refusal) {
            if case .refusal(let status, let code) = fault {
                throw Refusal(status: status, code: code, message: "Chosen by a test.")
            }
            guard request.method == .post else { throw .wrongMethod }
            let type = request.headerFields[.contentType]?.prefix { $0 != ";" && $0 != " " }
            guard type?.lowercased() == "application/json" else { throw .wrongType }
            let reply = try perform(
                IncomingCall(call: call, request: request, body: body, fault: fault))
            return reply.spoiled(by: fault)
        } catch {
            return ServerReply(error)
        }
    }

    private func perform(_ incoming: IncomingCall) throws(Refusal) -> ServerReply {
        switch incoming.call {
        case .keystore: try createTemporaryKey(incoming)
        case .activation: try exchangeKeys(incoming)
        case .status: try tellStatus(incoming)
        case .removal: try removeActivation(incoming)
        case .tokenCreation: try createToken(incoming)
        case .tokenRemoval: try removeToken(incoming)
        case .validation: try validateSignature(incoming)
        case .vault: try unlockVault(incoming)
        case .provider: try tellProvider(incoming)
        case .activationDetail: try tellDetail(incoming)
        case .renaming: try renameActivation(incoming)
        case .userInfo: try tellUser(incoming)
        case .time: try tellTime(incoming)
        case .registration, .olderRegistration: try register(incoming)
        case .list: try listOperations(incoming)
        case .detail: try showOperation(incoming)
        case .claim: try claimOperation(incoming)
        case .history: try listHistory(incoming)
        case .authorize: try authorize(incoming)
        case .cancel: try reject(incoming)
        case .inboxCount, .inboxList, .inboxDetail, .inboxRead, .inboxReadAll:
            try answerInbox(incoming)
        }
    }

    private func tellTime(_ incoming: IncomingCall) throws(Refusal) -> ServerReply {
        try incoming.requireEmpty()
        return .object([
            "serverTime": JSON(configuration.now),
            "application": [
                "name": "powerauth-simulator", "displayName": "PowerAuth simulator",
                "version": "1.10.0",
            ],
        ])
    }
}

extension ServerReply {
    /// The response object with a member replaced. Signed and sealed answers were spoiled before.
    fileprivate func spoiled(by fault: PowerAuthSimulator.BadAnswer?) -> ServerReply {
        guard case .replaced(let member, let value) = fault, status == 200,
            var whole = json.object, var object = whole["responseObject"]?.object,
            object["jwt"] == nil
        else { return self }
        object[member] = value
        whole["responseObject"] = .object(object)
        return ServerReply(.object(whole))
    }
}
