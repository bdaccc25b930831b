import HTTPTypes
import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The tenant's paths. Those of the pages are the login widget's.
enum Path {
    static let enroll = "/push-authenticator/enroll"

    static func resolve(_ path: PlusAuthSimulator.Configuration.ResolvePath) -> String {
        "/push-authenticator/\(path.rawValue)"
    }
}

extension PlusAuthSimulator {
    /// Does what a request asks for.
    func handle(_ request: HTTPRequest, _ body: Data) throws(Rejection) -> ServerReply {
        let target = Target(request.path ?? "")
        let isResolve =
            target.path == Path.resolve(.resolve) && configuration.servesResolve
            || target.path == Path.resolve(.resolveChallenge)
                && configuration.servesResolveChallenge
        switch target.path {
        case Path.enroll:
            return try enroll(bearer: bearer(of: request), fields(of: request, body), request)
        case _ where isResolve:
            return try resolve(bearer: bearer(of: request), fields(of: request, body))
        default: return try page(target, request, body)
        }
    }

    /// The token of an API request, which has to be a POST.
    private func bearer(of request: HTTPRequest) throws(Rejection) -> String {
        guard request.method == .post else { throw .wrongMethod }
        guard let field = request.headerFields[.authorization] else {
            throw .unauthorized("missing_token", "There is no access token.")
        }
        let parts = field.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else {
            throw .unauthorized("invalid_authorization_scheme", "The scheme isn't Bearer.")
        }
        return String(parts[1])
    }

    /// The members of an API request's body.
    private func fields(of request: HTTPRequest, _ body: Data) throws(Rejection) -> JSON.Object {
        let type = request.headerFields[.contentType]?.split(separator: ";").first
        guard type?.filter({ $0 != " " }).lowercased() == "application/json" else {
            throw .invalidRequest("The Content-Type isn't application/json.")
        }
        guard let members = try? JSON(parsing: body).object else {
            throw .invalidRequest("The body isn't a JSON object.")
        }
        return members
    }
}

/// A request's path and query.
struct Target {
    let path: String
    private let query: [Substring]

    init(_ text: String) {
        let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        path = String(parts.first ?? "")
        query = parts.count > 1 ? parts[1].split(separator: "&") : []
    }

    /// A parameter's first value, as it stands.
    subscript(name: String) -> String? {
        query.first { $0.hasPrefix(name + "=") }.map { String($0.dropFirst(name.utf8.count + 1)) }
    }
}

extension PlusAuthSimulator.Configuration {
    /// How many requests are taken before 429.
    public struct RateLimit: Hashable, Sendable {
        /// In any second; the vendor's plans have 10 to 50.
        public var perSecond: Int

        /// In any minute; the vendor's plans have 120 to 1,200.
        public var perMinute: Int

        /// Creates a limit.
        public init(perSecond: Int, perMinute: Int) {
            self.perSecond = perSecond
            self.perMinute = perMinute
        }
    }
}

/// Counts requests in a sliding window.
struct RequestCounter {
    private var taken: [Date] = []

    /// Takes one more request, or says how long to wait.
    mutating func count(
        at now: Date, upTo limit: PlusAuthSimulator.Configuration.RateLimit?
    ) throws(Rejection) {
        guard let limit else {
            taken = []
            return
        }
        taken.removeAll { $0 <= now - 60 || $0 > now }
        let inSecond = taken.filter { $0 > now - 1 }
        var wait: TimeInterval = 0
        if inSecond.count >= limit.perSecond {
            wait = (inSecond.first ?? now).addingTimeInterval(1).timeIntervalSince(now)
        }
        if taken.count >= limit.perMinute {
            wait = max(wait, (taken.first ?? now).addingTimeInterval(60).timeIntervalSince(now))
        }
        guard wait == 0 else { throw .tooManyRequests(wait: wait) }
        taken.append(now)
    }
}
