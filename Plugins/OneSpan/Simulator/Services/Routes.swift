import HTTPTypes
import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension OneSpanSimulator {
    /// Does what a request asks for.
    func answer(_ request: HTTPRequest, _ body: Data) async -> ServiceReply {
        let path = (request.path ?? "").prefix { $0 != "?" }
        if path == configuration.commandPath {
            guard request.method == .post else { return ServiceReply(.wrongMethod) }
            return await relay(body)
        }
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
            .map { Self.unescaped($0) ?? "" }
        guard parts.starts(with: ["", "v1"]) else { return ServiceReply(.notFound) }
        do throws(ServiceRefusal) {
            return try await serve(Array(parts.dropFirst(2)), request.method, body)
        } catch {
            return ServiceReply(error)
        }
    }

    private func serve(
        _ path: [String], _ method: HTTPRequest.Method, _ body: Data
    ) async throws(ServiceRefusal) -> ServiceReply {
        if path.count == 2, path[0] == "sessions" {
            guard method == .get else { throw .wrongMethod }
            let status = session(path[1])?.status ?? .unknown
            return ServiceReply(200, ["sessionStatus": .string(status.rawValue)])
        }
        let isCommand = path.count == 1 && CommandService(rawValue: path[0]) != nil
        let isUserService =
            path.first == "users"
            && (path.count == 3 && ["login", "unregister"].contains(path[2])
                || path.count == 4 && path[2...] == ["transactions", "validate"])
        guard
            isCommand || isUserService || path == ["users", "register"]
                || path == ["registrations", "check-status"]
        else { throw .notFound }
        guard method == .post else { throw .wrongMethod }
        if isCommand, let service = CommandService(rawValue: path[0]) {
            return await orchestrate(body, service)
        }
        guard let members = try? JSON(parsing: body).object else {
            throw .badRequest("The body is no JSON object.")
        }
        guard isUserService else {
            return try path[0] == "users" ? register(members) : checkStatus(members)
        }
        let user = try user(in: path[1])
        switch path[2] {
        case "login": return try await login(user, members)
        case "unregister": return try unregister(user)
        default: return try await validate(user, members)
        }
    }

    /// The user in `user@domain`; the domain's case doesn't count, which is UNCONFIRMED.
    private func user(in text: String) throws(ServiceRefusal) -> String {
        guard let at = text.lastIndex(of: "@"),
            text[text.index(after: at)...].lowercased() == domain
        else { throw .notFound }
        return String(text[..<at])
    }

    /// A path's part without its escapes (RFC 3986, section 2.1); `nil` if one is no escape.
    private static func unescaped(_ part: Substring) -> String? {
        let pieces = part.split(separator: "%", omittingEmptySubsequences: false)
        var bytes = Array(pieces[0].utf8)
        for piece in pieces.dropFirst() {
            guard piece.utf8.count >= 2, let escaped = [UInt8](hex: String(piece.prefix(2))) else {
                return nil
            }
            bytes += escaped + Array(piece.utf8.dropFirst(2))
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
