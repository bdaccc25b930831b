import HTTPTypes
import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A request, taken apart.
struct Call {
    let request: HTTPRequest
    let path: String
    let query: [(name: String, value: String)]
    private let body: Data

    init(_ request: HTTPRequest, _ body: Data) {
        self.request = request
        self.body = body
        let parts = (request.path ?? "").split(
            separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        path = String(parts.first ?? "")
        query = parts.count > 1 ? Self.pairs(of: parts[1]) : []
    }

    /// The members of a JSON body.
    ///
    /// - Throws: `Refusal` with the status 415 for another type, 400 for what is no object.
    func members() throws(Refusal) -> JSON.Object {
        guard hasType("application/json") else {
            throw Refusal(415, "HTTP 415 Unsupported Media Type")
        }
        guard let members = try? JSON(parsing: body).object else { throw .noBody }
        return members
    }

    /// The fields of a form.
    ///
    /// - Throws: `Refusal` with the status 415 for another type, 400 for a field that is there
    ///   twice.
    func form() throws(Refusal) -> [String: String] {
        guard hasType("application/x-www-form-urlencoded") else {
            throw Refusal(415, "HTTP 415 Unsupported Media Type")
        }
        let pairs = Self.pairs(of: Substring(decoding: body, as: UTF8.self))
        guard Set(pairs.map(\.name)).count == pairs.count else {
            throw .badProof("duplicated parameter")
        }
        return Dictionary(pairs.map { ($0.name, $0.value) }) { first, _ in first }
    }

    private func hasType(_ type: String) -> Bool {
        let sent = request.headerFields[.contentType]?.split(separator: ";").first
        return sent?.filter { $0 != " " }.lowercased() == type
    }

    private static func pairs(of text: Substring) -> [(name: String, value: String)] {
        text.split(separator: "&").map { part in
            let halves = part.split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (decoded(halves[0]), halves.count > 1 ? decoded(halves[1]) : "")
        }
    }

    /// Decodes a form's text; what isn't `%` and two digits stays.
    static func decoded(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            let isEscape = byte == UInt8(ascii: "%") && digits.utf8.count == 2
            if isEscape, let value = UInt8(digits, radix: 16) {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension KeycloakSimulator {
    /// Does what a request asks for.
    func handle(_ call: Call) throws(Refusal) -> ServerReply {
        let realm = configuration.path + "/"
        guard call.path.hasPrefix(realm) else { throw .noResource }
        let parts = call.path.dropFirst(realm.utf8.count).split(
            separator: "/", omittingEmptySubsequences: false)
        switch parts.count > 1 ? (parts[0], parts[1]) : ("", "") {
        case ("protocol", "openid-connect"): return try openID(call, Array(parts.dropFirst(2)))
        case ("push-mfa", _): return try device(call, Array(parts.dropFirst()))
        default: throw .noResource
        }
    }

    private func openID(_ call: Call, _ parts: [Substring]) throws(Refusal) -> ServerReply {
        switch parts {
        case ["certs"]:
            try check(call, .get)
            return try keySet()
        case ["token"]:
            try check(call, .post)
            return try issueAccessToken(call)
        default: throw .noResource
        }
    }

    private func device(_ call: Call, _ parts: [Substring]) throws(Refusal) -> ServerReply {
        if parts.count == 3, parts[..<2] == ["enroll", "request-token"] {
            try check(call, .get)
            return try requestedToken(String(parts[2]))
        }
        if parts.count == 4, parts[..<2] == ["login", "challenges"], parts[3] == "respond" {
            try check(call, .post)
            return try answer(call, to: String(parts[2]))
        }
        switch parts {
        case ["enroll", "complete"]:
            try check(call, .post)
            return try completeEnrollment(call)
        case ["login", "pending"]:
            try check(call, .get)
            return try pending(call)
        case ["login", "lockout"]:
            try check(call, .post)
            return try lockOut(call)
        case ["device", "push-provider"]:
            try check(call, .put)
            return try changePushProvider(call)
        case ["device", "rotate-key"]:
            try check(call, .put)
            return try rotateDeviceKey(call)
        default: throw .noResource
        }
    }

    private func check(_ call: Call, _ method: HTTPRequest.Method) throws(Refusal) {
        guard call.request.method == method else { throw .wrongMethod }
    }
}
