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
            throw HTTPError(.forbidden, message: "The console is for this machine alone.")
        }
        if request.method == .post, let origin = request.headers[Self.origin],
            origin != "http://\(host)"
        {
            throw HTTPError(.forbidden, message: "Another site sent this form.")
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

    private static func isLoopback(_ host: String) -> Bool {
        let name = host.split(separator: ":").first.map(String.init) ?? ""
        return ["127.0.0.1", "localhost"].contains(name)
    }

    private static let origin = field("Origin")
    private static let policy = field("Content-Security-Policy")
    private static let sniffing = field("X-Content-Type-Options")
    private static let referrer = field("Referrer-Policy")

    private static func field(_ name: String) -> HTTPField.Name {
        HTTPField.Name(name) ?? .accept
    }
}
