import HTTPTypes
import PushCore
import PushTesting

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// An answer on its way out.
struct ServerReply {
    let status: Int
    let json: JSON

    init(status: Int = 200, _ json: JSON) {
        self.status = status
        self.json = json
    }

    init(_ refusal: Refusal) { self.init(status: refusal.status, refusal.json) }

    /// Success without a result.
    static let done = ServerReply(["status": "OK"])

    /// Success in the envelope of plain endpoints.
    static func object(_ object: JSON, beside more: JSON.Object = [:]) -> ServerReply {
        ServerReply(
            .object(
                JSON.Object(
                    [("status", .string("OK")), ("responseObject", object)]
                        + more.members.map { ($0.name, $0.value) })))
    }

    /// The bare envelope of encrypted endpoints.
    static func envelope(_ members: JSON.Object) -> ServerReply { ServerReply(.object(members)) }

    var body: Data { json.data }

    var http: SimulatedReply {
        SimulatedReply(
            status: .init(code: min(max(status, 100), 599)), type: "application/json", body: body)
    }
}

/// An answer that isn't success. Different causes share one, so that none can be told apart.
struct Refusal: Error, Hashable {
    let status: Int
    let code: String
    let message: String

    var json: JSON {
        [
            "status": "ERROR",
            "responseObject": ["code": .string(code), "message": .string(message)],
        ]
    }

    // MARK: Standard interface

    static let authentication = Refusal(
        status: 401, code: "ERR_AUTHENTICATION", message: "POWER_AUTH_SIGNATURE_INVALID")
    static let activation = Refusal(
        status: 400, code: "ERR_ACTIVATION", message: "POWER_AUTH_ACTIVATION_INVALID")
    static let encryption = Refusal(
        status: 400, code: "ERR_ENCRYPTION", message: "POWER_AUTH_ENCRYPTION_INVALID")
    static let temporaryKey = Refusal(
        status: 400, code: "ERR_TEMPORARY_KEY", message: "POWER_AUTH_TEMPORARY_KEY_FAILURE")
    static let vault = Refusal(
        status: 400, code: "ERR_SECURE_VAULT", message: "POWER_AUTH_SECURE_VAULT_INVALID")

    static let userInfo = Refusal(
        status: 400, code: "ERR_USER_INFO", message: "POWER_AUTH_USER_INFO_INVALID")
    static let configuration = Refusal(
        status: 400, code: "APPLICATION_CONFIGURATION_ERROR",
        message: "The configuration can't be told.")

    /// What the bank's own handler says when it got nothing that was encrypted.
    static let notEncrypted = Refusal(
        status: 400, code: "BANK_NOT_ENCRYPTED", message: "The bank wants this encrypted.")

    // MARK: Mobile token interface

    static let mobileAuthentication = Refusal(
        status: 401, code: "POWERAUTH_AUTH_FAIL", message: "Unable to verify the request.")
    static let invalidRequest = Refusal(
        status: 400, code: "INVALID_REQUEST", message: "The request is invalid.")
    static let invalidOperation = Refusal(
        status: 400, code: "INVALID_OPERATION", message: "The operation can't be used.")
    static let operationFailed = Refusal(
        status: 401, code: "OPERATION_FAILED", message: "The operation was not approved.")
    static let flagMissing = Refusal(
        status: 400, code: "OPERATION_REQUIRES_ACTIVATION_FLAG",
        message: "The operation needs a flag of the activation.")
    static let registration = Refusal(
        status: 400, code: "PUSH_REGISTRATION_FAILED", message: "The device wasn't registered.")
    static let inbox = Refusal(
        status: 400, code: "INBOX_FAILED", message: "The inbox didn't answer.")

    static func over(_ status: PowerAuthSimulator.OperationStatus) -> Refusal {
        let code =
            switch status {
            case .canceled: "OPERATION_ALREADY_CANCELED"
            case .failed: "OPERATION_ALREADY_FAILED"
            case .expired: "OPERATION_EXPIRED"
            default: "OPERATION_ALREADY_FINISHED"
            }
        return Refusal(status: 400, code: code, message: "The operation is over.")
    }

    // MARK: Any

    static let notFound = Refusal(
        status: 404, code: "ERROR_NOT_FOUND", message: "There is nothing here.")
    static let wrongMethod = Refusal(
        status: 405, code: "ERROR_GENERIC", message: "The method isn't allowed here.")
    static let wrongType = Refusal(
        status: 415, code: "ERROR_GENERIC", message: "The content isn't JSON.")
    static let generic = Refusal(
        status: 500, code: "ERROR_GENERIC", message: "Something is wrong with the server.")
}
