import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import PushCore

/// A request to the JSON interface, taken apart.
struct APIRequest {
    let method: HTTPRequest.Method
    /// The parts of the path after `/api`, without their escapes.
    let path: [String]
    /// The text of the query, after the `?`.
    private let query: String
    private let request: Request

    /// `nil` for a request that is for a page.
    init?(_ request: Request) {
        let parts = (request.head.path ?? "").split(
            separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let path = (parts.first ?? "").split(separator: "/", omittingEmptySubsequences: false)
        guard path.count > 1, path[1] == "api" else { return nil }
        // One slash at the end is as good as none.
        let rest = path.dropFirst(2).last == "" ? path.dropFirst(2).dropLast() : path.dropFirst(2)
        self.path = rest.map { $0.removingPercentEncoding ?? "" }
        query = parts.count > 1 ? String(parts[1]) : ""
        method = request.method
        self.request = request
    }

    /// - Throws: `APIError` unless the method is one of these; a path that can be read has a head.
    func check(_ methods: HTTPRequest.Method...) throws(APIError) {
        let allowed = methods.flatMap { $0 == .get ? [$0, .head] : [$0] }
        guard allowed.contains(method) else { throw .wrongMethod(allowing: allowed) }
    }

    /// The parameters of the query: those that are known, each once.
    func parameters(_ known: String...) throws(APIError) -> [String: String] {
        var parameters: [String: String] = [:]
        for pair in query.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                .map { $0.removingPercentEncoding ?? "" }
            let value = parts.count == 2 ? parts[1] : ""
            guard known.contains(parts[0]) else {
                throw .wrongMember(parts[0], "no such parameter is known here.")
            }
            guard parameters.updateValue(value, forKey: parts[0]) == nil else {
                throw .wrongMember(parts[0], "the parameter is there twice.")
            }
        }
        return parameters
    }

    /// The members of the body: texts, under names that are known.
    ///
    /// A form of another site's page can't have this type, and so no page can make a browser post.
    func members(_ known: String...) async throws -> [String: String] {
        let type = request.headers[.contentType]?.prefix { $0 != ";" && $0 != " " }
        guard type?.lowercased() == "application/json" else { throw APIError.wrongType }
        let body: ByteBuffer
        do {
            body = try await request.body.collect(upTo: 4096)
        } catch is NIOTooManyBytesError {
            throw APIError.tooLarge
        }
        guard let object = (try? JSON(parsing: Data(body.readableBytesView)))?.object else {
            throw APIError.noJSON
        }
        var members: [String: String] = [:]
        for (name, value) in object.members {
            guard known.contains(name) else {
                throw APIError.wrongMember(name, "no such member is known here.")
            }
            guard let text = value.string else {
                throw APIError.wrongMember(name, "a text was expected.")
            }
            members[name] = text
        }
        return members
    }
}
