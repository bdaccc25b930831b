import HTTPTypes
import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension HTTPField.Name {
    /// A name that is known to be one.
    fileprivate static func known(_ name: String) -> HTTPField.Name {
        HTTPField.Name(name) ?? .authorization
    }

    static var powerAuthSignature: HTTPField.Name { known("X-PowerAuth-Authorization") }
    static var powerAuthToken: HTTPField.Name { known("X-PowerAuth-Token") }
    static var powerAuthEncryption: HTTPField.Name { known("X-PowerAuth-Encryption") }
}

/// A call as it came.
struct Incoming {
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
    func answer(_ request: HTTPRequest, _ body: Data) -> Reply {
        let path = request.path.map { $0.prefix { $0 != "?" } } ?? ""
        guard let call = Call(rawValue: String(path)) else { return Reply(.notFound) }
        let fault = takeFault(at: call)
        do throws(Refusal) {
            if case .refusal(let status, let code) = fault {
                throw Refusal(status: status, code: code, message: "Chosen by a test.")
            }
            guard request.method == .post else { throw .wrongMethod }
            let type = request.headerFields[.contentType]?.prefix { $0 != ";" && $0 != " " }
            guard type?.lowercased() == "application/json" else { throw .wrongType }
            let reply = try perform(
                Incoming(call: call, request: request, body: body, fault: fault))
            return reply.spoiled(by: fault)
        } catch {
            return Reply(error)
        }
    }

    private func perform(_ incoming: Incoming) throws(Refusal) -> Reply {
        switch incoming.call {
        case .keystore: try createTemporaryKey(incoming)
        case .activation: try exchangeKeys(incoming)
        case .status: try tellStatus(incoming)
        case .removal: try removeActivation(incoming)
        case .tokenCreation: try createToken(incoming)
        case .tokenRemoval: try removeToken(incoming)
        case .validation: try validateSignature(incoming)
        case .vault: try unlockVault(incoming)
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

    private func tellTime(_ incoming: Incoming) throws(Refusal) -> Reply {
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

extension Reply {
    /// The response object with a member replaced. Signed and sealed answers were spoiled before.
    fileprivate func spoiled(by fault: PowerAuthSimulator.BadAnswer?) -> Reply {
        guard case .replaced(let member, let value) = fault, status == 200,
            var whole = json.object, var object = whole["responseObject"]?.object,
            object["jwt"] == nil
        else { return self }
        object[member] = value
        whole["responseObject"] = .object(object)
        return Reply(.object(whole))
    }
}
