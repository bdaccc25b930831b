import Foundation
import HTTPTypes
import Hummingbird
import PushCore
import PushTesting

/// The console for scripts: what its pages show and their buttons do, as JSON under `/api`.
struct ConsoleAPI: RouterMiddleware {
    typealias Context = BasicRequestContext

    let console: Console

    /// Where `pushauth` finds its configuration, for the commands of invitations.
    let configuration: @Sendable (Request) -> EnrollmentCommand.Configuration

    @concurrent
    func handle(
        _ request: Request, context: Context,
        next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        guard let call = APIRequest(request) else { return try await next(request, context) }
        var response: Response
        do {
            response = try await answer(call, configuration(request))
        } catch let error as APIError {
            response = Self.response(to: error)
        } catch let error as PushError {
            response = Self.response(to: APIError.refused(error.reason))
        }
        return call.method == .head ? response.createHeadResponse() : response
    }

    private func answer(
        _ call: APIRequest, _ configuration: EnrollmentCommand.Configuration
    ) async throws -> Response {
        guard let name = call.path.first else {
            try call.check(.get)
            return Self.reply(["vendors": .array(console.vendors.map(\.json))])
        }
        guard let vendor = await console.vendor(name) else { throw APIError.noVendor }
        switch (call.path.dropFirst().first, call.path.count) {
        case (nil, 1):
            try call.check(.get)
            return Self.reply(vendor.json)
        case ("users", 2):
            try call.check(.get, .post)
            return call.method == .post
                ? try await addUser(call, vendor) : try await listUsers(call, vendor)
        case ("invitations", 2):
            try call.check(.post)
            return try await invite(call, vendor, configuration)
        case ("logins", 2):
            try call.check(.get, .post)
            return call.method == .post
                ? try await logIn(call, vendor) : try await listLogins(call, vendor)
        case ("logins", 3):
            try call.check(.get, .delete)
            return call.method == .delete
                ? try await cancel(call, vendor) : try await showLogin(call, vendor)
        case ("codes", 2):
            try call.check(.post)
            return try await logInByCode(call, vendor)
        case ("pushes", 2):
            try call.check(.get)
            return try await listPushes(call, vendor)
        default: throw APIError.noPath
        }
    }

    // MARK: Users

    private func listUsers(_ call: APIRequest, _ vendor: ConsoleVendor) async throws -> Response {
        _ = try call.parameters()
        var users: [JSON] = []
        for user in await console.users { users.append(await json(of: user, at: vendor)) }
        return Self.reply(["users": .array(users)])
    }

    /// A user is one of every vendor's, and nothing happens to one who is there.
    private func addUser(_ call: APIRequest, _ vendor: ConsoleVendor) async throws -> Response {
        let members = try await call.members("user")
        guard let user = members["user"], ConsolePath.isName(user) else {
            throw APIError.wrongMember(
                "user", "1 to 64 letters, digits, dots or dashes were expected.")
        }
        let isNew = await !console.users.contains(user)
        await console.addUser(user)
        return Self.reply(await json(of: user, at: vendor), isNew ? .created : .ok)
    }

    private func json(of user: String, at vendor: ConsoleVendor) async -> JSON {
        let devices = await vendor.devices(user)
        return ["user": .string(user), "devices": .array(devices.map(JSON.string))]
    }

    private func user(in texts: [String: String]) async throws(APIError) -> String {
        guard let user = texts["user"] else {
            throw .wrongMember("user", "the name of a user was expected.")
        }
        guard await console.users.contains(user) else { throw .noUser(user) }
        return user
    }

    /// The user whose things are asked for, or nobody.
    private func filter(_ call: APIRequest) async throws(APIError) -> String? {
        let parameters = try call.parameters("user")
        return parameters.isEmpty ? nil : try await user(in: parameters)
    }

    // MARK: Invitations

    private func invite(
        _ call: APIRequest, _ vendor: ConsoleVendor,
        _ configuration: EnrollmentCommand.Configuration
    ) async throws -> Response {
        let user = try await user(in: try await call.members("user"))
        let invitation = try await console.invite(user, to: vendor)
        var object: JSON.Object = ["user": .string(user)]
        if case .credentials(let account, let password) = invitation {
            object["account"] = .string(account)
            object["password"] = .string(password.text)
        } else {
            object["text"] = .string(invitation.scannedText ?? "")
        }
        let command = EnrollmentCommand(by: invitation, configuredBy: configuration)
        object["command"] = .string(command.text)
        return Self.reply(.object(object), .created)
    }

    // MARK: Logins

    private func listLogins(_ call: APIRequest, _ vendor: ConsoleVendor) async throws -> Response {
        let user = try await filter(call)
        await console.lookAtLogins(of: vendor)
        let logins = await console.logins.filter {
            $0.vendor == vendor.name && (user == nil || $0.user == user)
        }
        return Self.reply(["logins": .array(logins.map(\.json))])
    }

    private func logIn(_ call: APIRequest, _ vendor: ConsoleVendor) async throws -> Response {
        let members = try await call.members("user", "kind")
        let user = try await user(in: members)
        let kind = SimulatedLogin.Kind(rawValue: members["kind"] ?? "confirm")
        guard let kind, vendor.kinds.contains(kind) else {
            let kinds = vendor.kinds.map(\.rawValue).joined(separator: ", ")
            throw APIError.wrongMember("kind", "this vendor has \(kinds).")
        }
        let login = try await console.logIn(user, at: vendor, asking: kind)
        var response = Self.reply(login.json, .created)
        response.headers[.location] =
            "/api/\(vendor.name)/logins/\(ConsolePath.encoded(login.id))"
        return response
    }

    private func logInByCode(
        _ call: APIRequest, _ vendor: ConsoleVendor
    ) async throws -> Response {
        let members = try await call.members("user", "code")
        let user = try await user(in: members)
        guard let code = members["code"] else {
            throw APIError.wrongMember("code", "the digits that the device shows were expected.")
        }
        let counts = try await CodeLogins(console: console).logIn(user, at: vendor, by: code)
        return Self.reply(["user": .string(user), "accepted": .bool(counts)])
    }

    private func showLogin(_ call: APIRequest, _ vendor: ConsoleVendor) async throws -> Response {
        _ = try call.parameters()
        await console.lookAtLogins(of: vendor)
        return Self.reply(try await login(call.path[2], vendor).json)
    }

    private func cancel(_ call: APIRequest, _ vendor: ConsoleVendor) async throws -> Response {
        let login = try await login(call.path[2], vendor)
        guard vendor.cancel != nil else {
            throw APIError.refused("The vendor has no way to take a login back.")
        }
        try await console.cancel(login.id, at: vendor)
        return Self.reply(try await self.login(login.id, vendor).json)
    }

    private func login(
        _ id: String, _ vendor: ConsoleVendor
    ) async throws(APIError) -> ConsoleLogin {
        let logins = await console.logins
        guard let login = logins.first(where: { $0.vendor == vendor.name && $0.id == id }) else {
            throw .noLogin
        }
        return login
    }

    // MARK: Pushes

    private func listPushes(_ call: APIRequest, _ vendor: ConsoleVendor) async throws -> Response {
        let user = try await filter(call)
        let pushes = await console.pushes.filter {
            $0.vendor == vendor.name && (user == nil || $0.user == user)
        }
        return Self.reply(["pushes": .array(pushes.map(\.json))])
    }

    // MARK: Replies

    static func response(to error: APIError) -> Response {
        var response = reply(
            ["error": ["code": .string(error.code), "text": .string(error.text)]], error.status)
        if !error.allowed.isEmpty {
            response.headers[.allow] = error.allowed.map(\.rawValue).joined(separator: ", ")
        }
        return response
    }

    private static func reply(_ value: JSON, _ status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status,
            headers: [.contentType: "application/json", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: value.text + "\n")))
    }
}

// MARK: Values

extension ConsoleVendor {
    fileprivate var json: JSON {
        [
            "vendor": .string(name), "name": .string(simulator.name),
            "kinds": .array(kinds.map { .string($0.rawValue) }), "cancels": .bool(cancel != nil),
        ]
    }
}

extension ConsoleLogin {
    /// As the JSON interface has it.
    fileprivate var json: JSON {
        var object: JSON.Object = [
            "id": .string(id), "user": .string(user), "kind": .string(kind.rawValue),
            "started": .string(started.formatted(.iso8601)), "state": .string(status.rawName),
            "text": .string(words),
        ]
        object["number"] = shown.map(JSON.string)
        return .object(object)
    }
}

extension ConsolePush {
    fileprivate var json: JSON {
        var object: JSON.Object = [
            "push": .number(.init(Int64(number))), "time": .string(time.formatted(.iso8601)),
            "to": .string(token), "size": .number(.init(Int64(size))),
            "state": .string(fate == nil ? "underway" : reason == nil ? "taken" : "untaken"),
            "text": .string(words),
        ]
        object["user"] = user.map(JSON.string)
        object["reason"] = reason.map { .string($0.rawValue) }
        object["content"] = content.flatMap { try? JSON(parsing: Data($0.utf8)) }
        return .object(object)
    }
}
