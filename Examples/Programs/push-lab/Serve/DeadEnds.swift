import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import PushTesting

/// Pages for what isn't there, each with a way back.
struct DeadEnds: RouterMiddleware {
    typealias Context = BasicRequestContext

    let console: Console

    @concurrent
    func handle(
        _ request: Request, context: Context,
        next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error as HTTPError where error.status == .notFound {
            let (reason, ways) = await explained(request.uri.path)
            let page = Response.html(Page.dead(end: reason, ways), status: error.status)
            return request.method == .head ? page.createHeadResponse() : page
        }
    }

    /// What of a path isn't there, and where one goes on.
    private func explained(_ path: String) async -> (String, [(label: String, path: String)]) {
        let parts = path.split(separator: "/").map { $0.removingPercentEncoding ?? "" }
        let home = (label: "All vendors", path: "/")
        guard let name = parts.first, let vendor = await console.vendor(name) else {
            return ("There is no such page. A user’s page is /VENDOR/USER.", [home])
        }
        let title = vendor.simulator.name
        let users = await console.users
        guard parts.count > 1, users.contains(parts[1]) else {
            let links = users.prefix(3).map {
                (label: "\($0) at \(title)", path: "/\(name)/\(ConsolePath.encoded($0))")
            }
            return (
                parts.count > 1
                    ? "There is no such user. One is added on the page of all vendors."
                    : "A user’s page is /\(name)/USER.", [home] + links
            )
        }
        let back = (
            label: "\(parts[1]) at \(title)", path: "/\(name)/\(ConsolePath.encoded(parts[1]))"
        )
        return ("There is nothing to see: a button leads there.", [back, home])
    }
}

extension Response {
    static func html(_ text: String, status: HTTPResponse.Status = .ok) -> Response {
        var response = Response.text(text, "text/html")
        response.status = status
        return response
    }

    static func text(_ text: String, _ type: String) -> Response {
        Response(
            status: .ok,
            headers: [.contentType: "\(type); charset=utf-8", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}
