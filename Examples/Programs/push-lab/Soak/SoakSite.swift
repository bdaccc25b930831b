import Foundation
import PushCore

/// A server process with its log, and the place where devices keep their store.
struct SoakSite: Sendable {
    let directory: URL
    let server: Peer
    let store: SoakStore
    private let authority: String

    private var log: URL { directory.appendingPathComponent("server.log") }

    /// Starts the server.
    ///
    /// - Parameters:
    ///   - directory: Where everything goes; it is made.
    ///   - seed: What the server's pauses and troubles are drawn from.
    ///   - pause: How long the server waits at most at either end of an exchange, in milliseconds.
    ///   - trouble: The server refuses one request in so many with 503; 0 for none.
    ///   - servers: Where the devices' store is, if not in the directory.
    /// - Throws: What keeps the server from starting.
    init(
        at directory: URL, seed: UInt64, pause: Int, trouble: Int,
        on servers: SoakStore.Servers? = nil
    ) async throws {
        self.directory = directory
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        store = SoakStore(in: directory)
        if let servers {
            try store.prepare(on: servers)
        } else {
            try await store.prepare()
        }
        server = try Peer(
            Peer.program,
            [
                "soak-server", "--log", directory.appendingPathComponent("server.log").path,
                "--seed", "\(seed)", "--pause", "\(pause)", "--trouble", "\(trouble)",
            ],
            errorFile: directory.appendingPathComponent("server.errors"), temporary: directory)
        do {
            authority = try await server.call("authority").text("file")
        } catch {
            await server.kill()
            throw error
        }
    }

    /// Starts a device; it is ready once it has answered `hello`.
    func device(_ instance: String) throws -> Peer {
        try Peer.device(in: directory, as: instance, trusting: authority)
    }

    func invite(_ user: String, to vendor: SoakVendor = .whole) async throws -> String {
        try await server.call(
            "invite", ["user": .string(user), "vendor": .string(vendor.name)]
        ).text("code")
    }

    /// Starts a login.
    ///
    /// - Parameters:
    ///   - user: Whose.
    ///   - vendor: Where.
    ///   - number: Whether it asks for a number; the other vendor never does.
    /// - Returns: What is known of the login.
    /// - Throws: What the server refuses it for.
    func login(
        _ user: String, at vendor: SoakVendor = .whole, number: Bool
    ) async throws -> LoginFacts {
        let reply = try await server.call(
            "login",
            [
                "user": .string(user), "vendor": .string(vendor.name),
                "number": .bool(number && vendor == .whole),
            ])
        return try LoginFacts(of: user, at: vendor, reading: reply)
    }

    /// Where a login stands; asking ends it, if it was answered.
    func status(of login: LoginFacts) async throws -> String {
        try await server.call(
            "status", ["login": .string(login.id), "vendor": .string(login.vendor.name)]
        ).text("status")
    }

    /// A user's registered devices at AM: mechanism and device token.
    func devices(_ user: String) async throws -> [String: String] {
        let reply = try await server.call("devices", ["user": .string(user)])
        let members = reply.object?.members ?? []
        return Dictionary(members.map { ($0.name, $0.value.string ?? "") }) { $1 }
    }

    /// How many answers with a PIN have come to the server.
    ///
    /// - Parameter count: If given, it waits until there are more, or for a third of a second.
    /// - Returns: The number.
    /// - Throws: What reading the log throws.
    func approvals(after count: Int64? = nil) async throws -> Int64 {
        var arguments: JSON.Object = [:]
        arguments["after"] = count.map { .number(JSON.Number($0)) }
        return try await server.call("approvals", arguments)["count"]?.integer ?? 0
    }

    /// What came to the server until now.
    func exchanges() throws -> [ServerExchange] {
        ServerExchange.all(in: try String(contentsOf: log, encoding: .utf8))
    }
}
