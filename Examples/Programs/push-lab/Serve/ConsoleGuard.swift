import HTTPTypes
import Hummingbird

/// Keeps other sites from using the console through a visitor's browser, and pages from loading
/// anything but their own.
struct ConsoleGuard: RouterMiddleware {
    typealias Context = BasicRequestContext

    @concurrent
    func handle(
        _ request: Request, context: Context,
        next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        // A name that somebody else's DNS points here isn't one of ours.
        guard let host = request.head.authority, Self.isLoopback(host) else {
            return refusal("The console is for this machine alone.", of: request)
        }
        if ![.get, .head].contains(request.method), let origin = request.headers[Self.origin],
            origin != "http://\(host)"
        {
            return refusal("Another site sent this request.", of: request)
        }
        var response = try await next(request, context)
        response.headers[Self.policy] =
            "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; "
            + "img-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
        response.headers[Self.sniffing] = "nosniff"
        // With none at all, a browser names no origin of a form, either.
        response.headers[Self.referrer] = "same-origin"
        return response
    }

    /// What a script gets is JSON with a code, like every other error.
    private func refusal(_ text: String, of request: Request) -> Response {
        guard APIRequest(request) != nil else {
            // Whoever came by another name or page finds the console by its own.
            return Response.html(
                Page.dead(
                    end: text, [("The console", "http://127.0.0.1:\(Self.port(of: request))/")]),
                status: .forbidden)
        }
        return ConsoleAPI.response(
            to: APIError(status: .forbidden, code: APIError.forbidden, text: text))
    }

    private static func isLoopback(_ host: String) -> Bool {
        let name = host.split(separator: ":").first.map(String.init) ?? ""
        return ["127.0.0.1", "localhost"].contains(name)
    }

    private static func port(of request: Request) -> String {
        let port = request.head.authority?.split(separator: ":").last.map(String.init) ?? ""
        return port.utf8.allSatisfy { (0x30...0x39).contains($0) } ? port : "80"
    }

    private static let origin = field("Origin")
    private static let policy = field("Content-Security-Policy")
    private static let sniffing = field("X-Content-Type-Options")
    private static let referrer = field("Referrer-Policy")

    private static func field(_ name: String) -> HTTPField.Name {
        HTTPField.Name(name) ?? .accept
    }
}
