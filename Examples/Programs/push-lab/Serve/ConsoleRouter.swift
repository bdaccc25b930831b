import Foundation
import HTTPTypes
import Hummingbird
import LocalServer
import PushCore
import PushTesting

/// The console's pages and buttons, and its JSON interface before them.
struct ConsoleRouter {
    let console: Console

    /// pushauth's configuration, made for each request.
    let configuration: @Sendable () async -> String

    /// The file that the configuration was written to, if it was.
    let configurationFile: String?

    /// The certificate of who vouches for the simulators' servers.
    let authority: @Sendable () -> String

    func router() -> Router<BasicRequestContext> {
        let router = Router(
            context: BasicRequestContext.self, options: .autoGenerateHeadEndpoints)
        router.add(middleware: ConsoleGuard())
        router.add(middleware: DeadEnds(console: console))
        router.add(
            middleware: ConsoleAPI(console: console, configuration: enrollmentConfiguration))
        router.get("/") { _, _ in
            // Before what it says, so that nothing that happens meanwhile is missed.
            let version = await console.version
            return Self.page(
                "Vendors", await IndexPage(console: console).content(), version: version)
        }
        router.get("/log") { _, _ in
            let version = await console.version
            return Self.page(
                "What happened", await LogPage(console: console).content(), version: version)
        }
        router.get("/favicon.svg") { _, _ in Response.text(Assets.icon, "image/svg+xml") }
        router.get("/style.css") { _, _ in Response.text(Assets.style, "text/css") }
        router.get("/script.js") { _, _ in Response.text(Assets.script, "text/javascript") }
        router.get("/pushauth.toml") { _, _ in
            Response.text(await configuration(), "text/plain")
        }
        router.get("/authority.pem") { _, _ in Response.text(authority(), "text/plain") }
        router.get("/events") { _, _ in await events() }
        router.post("/users") { request, _ in
            let form = try await Form(request)
            guard let user = form["user"], ConsolePath.isName(user) else {
                return await refused("A user name has 1 to 64 letters, digits, dots or dashes.")
            }
            await console.addUser(user)
            return Self.moved("/")
        }
        addUserPages(to: router)
        return router
    }

    private func addUserPages(to router: Router<BasicRequestContext>) {
        router.get("/:vendor/:user") { _, context in
            let (vendor, user) = try await place(context)
            let version = await console.version
            return Self.page(
                "\(user) at \(vendor.simulator.name)",
                await UserPage(console: console, vendor: vendor, user: user).content(),
                version: version)
        }
        router.get("/:vendor/:user/invitation") { request, context in
            let (vendor, user) = try await place(context)
            let page = InvitationPage(
                console: console, vendor: vendor, user: user,
                configuration: enrollmentConfiguration(request))
            return Self.page("Enroll \(user)", try await page.content(), version: nil)
        }
        router.get("/:vendor/:user/log") { _, context in
            let (vendor, user) = try await place(context)
            let version = await console.version
            return Self.page(
                "What happened to \(user) at \(vendor.simulator.name)",
                await LogPage(console: console, vendor: vendor, user: user).content(),
                version: version)
        }
        for action in ["login", "code", "cancel", "expire", "fault"] {
            router.post("/:vendor/:user/\(action)") { request, context in
                let (vendor, user) = try await place(context)
                return await perform(action, vendor, user, try await Form(request))
            }
        }
    }

    /// The address is the one by which the page was found.
    private func enrollmentConfiguration(_ request: Request) -> EnrollmentCommand.Configuration {
        configurationFile.map { .file($0) } ?? .served(at: "http://\(request.head.authority ?? "")")
    }

    private func place(
        _ context: BasicRequestContext
    ) async throws -> (ConsoleVendor, String) {
        guard let name = context.parameters.get("vendor"),
            let vendor = await console.vendor(name),
            let user = context.parameters.get("user"), await console.users.contains(user)
        else { throw HTTPError(.notFound) }
        return (vendor, user)
    }

    private func perform(
        _ action: String, _ vendor: ConsoleVendor, _ user: String, _ form: Form
    ) async -> Response {
        do {
            switch action {
            case "login":
                let kind = form["kind"].flatMap(SimulatedLogin.Kind.init)
                guard let kind, vendor.kinds.contains(kind) else {
                    return await refused("The vendor has no such login.", vendor, user)
                }
                try await console.logIn(user, at: vendor, asking: kind)
            case "code":
                let logins = CodeLogins(console: console)
                guard try await logins.logIn(user, at: vendor, by: form["code"] ?? "") else {
                    return await refused(
                        "The code doesn't count: it is wrong, out of time, or was used.", vendor,
                        user)
                }
            case "cancel":
                guard vendor.cancel != nil else {
                    return await refused("The vendor has no way to take it back.", vendor, user)
                }
                try await console.cancel(form["login"] ?? "", at: vendor)
            case "expire": await console.expire(at: vendor)
            default:
                let fault = form["fault"].flatMap(PushFault.init)
                guard fault != nil || form["fault"] == "none" else {
                    return await refused("There is no such fault.", vendor, user)
                }
                await console.plan(fault, at: vendor)
            }
            return Self.moved("/\(vendor.name)/\(ConsolePath.encoded(user))")
        } catch {
            let reason = (error as? PushError)?.reason ?? "That failed."
            return await refused(reason, vendor, user)
        }
    }

    private func refused(
        _ reason: String, _ vendor: ConsoleVendor? = nil, _ user: String = ""
    ) async -> Response {
        let content =
            if let vendor {
                await UserPage(console: console, vendor: vendor, user: user).content()
            } else {
                await IndexPage(console: console).content()
            }
        var response = Self.page("Not done", content, error: reason, version: nil)
        response.status = .badRequest
        return response
    }

    /// Server-sent events: the number of the state, whenever it changes (WHATWG HTML, 9.2).
    private func events() async -> Response {
        let versions = await console.versions()
        return Response(
            status: .ok,
            headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
            body: ResponseBody { writer in
                for await version in versions {
                    try await writer.write(
                        ByteBuffer(string: "event: version\ndata: \(version)\n\n"))
                }
                try await writer.finish(nil)
            })
    }

    private static func page(
        _ title: String, _ content: Markup, error: String? = nil, version: Int?
    ) -> Response {
        .html(Page.html(title, content, error: error, version: version))
    }

    private static func moved(_ path: String) -> Response {
        Response(status: .seeOther, headers: [.location: path])
    }
}
