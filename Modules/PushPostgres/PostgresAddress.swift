internal import CPushPostgres
import PushCore

/// A connection string, taken apart into its servers.
///
/// libpq would try them in their order, each time from the first, and has no limit of time for one where
/// its caller doesn't wait. So each is tried by itself, from the one that was reached last.
struct PostgresAddress: Sendable {
    struct Server: Sendable {
        let options: [(keyword: String, value: String)]
    }

    let text: Secret
    let servers: [Server]

    /// Takes a connection string apart. Its parts are in no error: one is a password.
    init(_ text: Secret, _ library: PostgresLibrary) throws(PushError) {
        let functions = library.functions.pointee
        var message: UnsafeMutablePointer<CChar>?
        let options = text.withTerminatedBytes { functions.conninfoParse($0, &message) }
        defer {
            functions.freemem(message)
            functions.conninfoFree(options)
        }
        guard let options else { throw Self.unreadable }
        var lists: [String: [String]] = [:]
        var next = options
        while let keyword = next.pointee.keyword {
            let name = String(cString: keyword)
            if ["host", "hostaddr", "port"].contains(name), let value = next.pointee.val {
                lists[name] = String(cString: value)
                    .split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            }
            next += 1
        }
        self.text = text
        servers = try Self.servers(lists)
    }

    private static func servers(_ lists: [String: [String]]) throws(PushError) -> [Server] {
        let count = lists.values.map(\.count).max() ?? 1
        guard lists.values.allSatisfy({ $0.count == count || $0.count == 1 }),
            lists["host"].map({ $0.count == count }) ?? true,
            (lists["port"] ?? []).allSatisfy({ $0.isEmpty || UInt16($0) != nil })
        else { throw unreadable }
        return (0..<count).map { index in
            Server(
                options: lists.sorted { $0.key < $1.key }.map { keyword, values in
                    let value = values.count == 1 ? values[0] : values[index]
                    // libpq passes over an empty value, and would keep the ports of all servers.
                    return (keyword, keyword == "port" && value.isEmpty ? "5432" : value)
                })
        }
    }

    private static var unreadable: PushError {
        PushError(
            .invalidArgument,
            "The address isn't a connection string of PostgreSQL's, such as "
                + "postgres://role@one,two/database?sslmode=verify-full.")
    }

    /// What libpq is told of one server, in order: a later value replaces an earlier one.
    func options(of server: Server) -> [(keyword: String, value: Secret)] {
        let defaults = [
            // Without it libpq would take a server that has no TLS, or another one's certificate. It
            // means nothing on a socket of the file system.
            ("sslmode", "verify-full"), ("fallback_application_name", "push-auth"),
            ("tcp_user_timeout", "10000"), ("keepalives_idle", "30"),
        ]
        let fixed =
            server.options + [
                // A standby, or a primary that became one, is passed over.
                ("target_session_attrs", "read-write"), ("client_encoding", "UTF8"),
            ]
        return defaults.map { ($0.0, Secret(copying: $0.1)) } + [("dbname", text)]
            + fixed.map { ($0.0, Secret(copying: $0.1)) }
    }
}

extension Secret {
    /// Lends the bytes with a 0 behind them, as C wants a text; the copy is cleared.
    func withTerminatedBytes<Value>(_ body: (UnsafePointer<CChar>) -> Value) -> Value {
        let copy = terminated
        return copy.withBytes { bytes in
            // A secret of at least one byte has an address.
            bytes.withMemoryRebound(to: CChar.self) { text in
                text.baseAddress.map(body) ?? withUnsafePointer(to: 0, body)
            }
        }
    }

    /// The same bytes, and a 0.
    var terminated: Secret {
        Secret(count: count + 1) { memory in
            withBytes { memory.copyMemory(from: $0) }
        }
    }
}
