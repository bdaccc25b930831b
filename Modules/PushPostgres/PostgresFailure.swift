import PushCore

/// What PostgreSQL or its client library said of a statement or a connection.
public struct PostgresFailure: Error, Hashable, Sendable {
    /// PostgreSQL's code, SQLSTATE: five letters and digits, as in the appendix "PostgreSQL Error
    /// Codes" of its manual; `nil` if no server said one.
    public let state: String?

    /// What the client library said, on one line; never the server's own words.
    public let message: String

    init(state: String?, message: String) {
        self.state = state
        self.message = message
    }

    static let tooSlow = PostgresFailure(
        state: nil, message: "the server doesn't answer in time")
    static let tooLarge = PostgresFailure(state: nil, message: "its reply is too large")

    /// Takes libpq's text, in which the server's words are left out
    /// (`push_pq_verbosity_sqlstate`), so that no more than its code stands there.
    init(saying text: String) {
        let lines = text.split(whereSeparator: \.isNewline).map { line in
            line.filter {
                !$0.unicodeScalars.contains { $0.properties.generalCategory == .control }
            }
        }
        // "FATAL:  28P01", in whatever language.
        let state = lines.compactMap { $0.firstMatch(of: /: +([0-9A-Z]{5})$/)?.1 }.first
        self.init(
            state: state.map { String($0) },
            // Of scalars, as a character may have any number of them.
            message: String(lines.joined(separator: "; ").unicodeScalars.prefix(300)))
    }
}

extension PostgresFailure: CustomStringConvertible {
    /// The code and the message, on one line.
    public var description: String { state.map { "\($0), \(message)" } ?? message }
}

/// What became of a statement.
enum PostgresReply: Sendable {
    /// It was executed, and is durable. A condition that doesn't hold shows as no row.
    case rows([PostgresRow])
    /// It did nothing, and may succeed when it is sent again.
    case undone(PostgresFailure)
    /// Nobody knows whether it did something.
    case lost(PostgresFailure)
    /// It did nothing, and won't.
    case refused(PushError)
}

extension PostgresReply {
    var isSuccess: Bool { if case .rows = self { true } else { false } }
}

extension PostgresFailure {
    /// What a server's code means for the statement that it was said of.
    var reply: PostgresReply {
        guard let state else { return .lost(self) }
        switch state {
        // Not serializable, a deadlock, a lock that was held for too long, cancelled by a time limit.
        case "40001", "40P01", "55P03", "57014": return .undone(self)
        // The primary became a standby.
        case "25006": return .undone(self)
        // The result is ambiguous; the server ends, or ended; the connection broke.
        case "40003": return .lost(self)
        case _ where state.hasPrefix("08") || state.hasPrefix("57P"): return .lost(self)
        default: return .refused(refusal)
        }
    }

    /// Whether it makes no sense to ask the same server again for a connection: it is there, and wants
    /// something else.
    var isFinalForConnection: Bool {
        guard let state else { return false }
        return ["28", "3D", "42"].contains { state.hasPrefix($0) }
    }

    /// Whether the connection is of no use any more, though it is whole.
    var endsConnection: Bool { state == "25006" }

    /// What to set up.
    var refusal: PushError {
        PushError(.storage, "\(advice) (\(description))", underlying: self)
    }

    /// What is wrong with PgBouncer as many set it up.
    static let pooler =
        "A pooler between, such as PgBouncer, hands out transactions, and the settings and prepared "
        + "statements of a connection are lost: give it `pool_mode = session`, or go past it."

    private var advice: String {
        switch state {
        case "42501":
            "The role may not use the store's tables: `PostgresStore.prepare` gives it what it needs."
        case "42P01", "42703", "3F000":
            "The schema doesn't hold a store's tables: make them with `PostgresStore.prepare`."
        // It remembers another client's statements, or doesn't remember this one's.
        case "42P05", "26000": Self.pooler
        case "3D000": "The server has no such database."
        case "53100": "The server's disk is full."
        case "53200": "The server has no memory left."
        case "53300":
            "The server has no connection left: raise max_connections, or let each process have fewer."
        case let state? where state.hasPrefix("28"):
            "The server doesn't let the role in: check its name, password and pg_hba.conf."
        case nil where self == .tooSlow:
            "PostgreSQL doesn't answer in time. If synchronous_standby_names is set, a standby must be "
                + "there."
        case nil where self == .tooLarge: "PostgreSQL sends more than was asked for."
        case nil: "PostgreSQL can't be reached."
        default: "PostgreSQL refuses."
        }
    }
}
