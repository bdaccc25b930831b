import HTTPTypes
import PushCore
import PushTesting

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A reply that isn't success, by status and number; the words mean nothing.
struct Refusal: Error {
    let status: Int
    let code: Int
    let message: String

    init(_ status: Int, _ code: Int, _ message: String) {
        self.status = status
        self.code = code
        self.message = message
    }

    static func missing(_ name: String) -> Refusal {
        Refusal(400, 905, "The parameter \(name) is missing.")
    }

    static let wrongCredential = Refusal(400, 905, "The enrollment credential is wrong.")
    static let locked = Refusal(400, 1007, "The token is locked.")
    static let notWaiting = Refusal(404, 601, "No token with this serial waits for a device.")
    static let noToken = Refusal(404, 601, "There is no such token.")
    static let wrongTime = Refusal(400, 10, "The timestamp isn't in the valid range.")
    static let notVerified = Refusal(400, 10, "The signature could not be verified.")
    static let pollingForbidden = Refusal(403, 303, "Polling isn't allowed.")
    static let internalError = Refusal(500, -500, "Something went wrong.")

    /// The same to somebody who isn't to learn why.
    func hidden(by configuration: PrivacyIDEASimulator.Configuration) -> Refusal {
        guard configuration.hidesErrors, status == 400 || status == 404 else { return self }
        return Refusal(status, -311, "The function of the token failed.")
    }
}

/// What a request brought about.
struct Success {
    let value: JSON
    var detail: JSON.Object?

    /// Which thread of the server replied; there is one here.
    static let thread: (String, JSON) = ("threadid", 1)
}

/// A reply on its way out.
struct ServerReply: Sendable {
    private let status: Int
    private let type: String
    private let date: String
    private let body: Data

    /// The `Retry-After`, in whole seconds.
    var retryAfter: Int?

    private init(
        status: Int, type: String, body: Data, _ configuration: PrivacyIDEASimulator.Configuration
    ) {
        self.status = status
        self.type = type
        self.body = body
        date = Calendar.httpDate(configuration.now)
    }

    /// A page for people.
    init(pageWith status: Int, _ configuration: PrivacyIDEASimulator.Configuration) {
        let page = "<!DOCTYPE html><title>\(status)</title><h1>\(status)</h1>"
        self.init(status: status, type: "text/html", body: Data(page.utf8), configuration)
    }

    init(
        _ success: Success, by configuration: PrivacyIDEASimulator.Configuration,
        to fields: RequestFields
    ) {
        var members: JSON.Object = [:]
        if let detail = success.detail { members["detail"] = .object(detail) }
        members["result"] = ["status": true, "value": success.value]
        let body = Self.body(members, by: configuration, to: fields, isSuccess: true)
        self.init(status: 200, type: "application/json", body: body, configuration)
    }

    init(
        _ refusal: Refusal, by configuration: PrivacyIDEASimulator.Configuration,
        to fields: RequestFields
    ) {
        let refusal = refusal.hidden(by: configuration)
        let members: JSON.Object = [
            "detail": .null,
            "result": [
                "error": ["code": .integer(refusal.code), "message": .string(refusal.message)],
                "status": false,
            ],
        ]
        let body = Self.body(members, by: configuration, to: fields, isSuccess: false)
        self.init(status: refusal.status, type: "application/json", body: body, configuration)
    }

    /// The signature is by a key that no device has: random digits stand for it.
    private static func body(
        _ members: JSON.Object, by configuration: PrivacyIDEASimulator.Configuration,
        to fields: RequestFields, isSuccess: Bool
    ) -> Data {
        var members = members
        members["id"] = 1
        members["jsonrpc"] = "2.0"
        if let nonce = fields["nonce"] { members["nonce"] = .string(nonce) }
        let signature = configuration.random.bytes(256).withBytes { Hexadecimal.text($0) }
        members["signature"] = .string("rsa_sha256_pss:" + signature)
        if let time = JSON.Number(configuration.now.timeIntervalSince1970) {
            members["time"] = .number(time)
        }
        if !configuration.hidesVersion {
            let version = configuration.generation.version
            members["version"] = .string("privacyIDEA " + version)
            if isSuccess { members["versionnumber"] = .string(version) }
        }
        let sorted = members.members.sorted { $0.name < $1.name }
        return JSON.object(JSON.Object(sorted.map { ($0.name, $0.value) })).data
    }

    var http: SimulatedReply {
        var reply = SimulatedReply(status: .init(code: status), type: type, body: body)
        reply.response.headerFields[.date] = date
        if let retryAfter { reply.response.headerFields[.retryAfter] = "\(retryAfter)" }
        return reply
    }
}
