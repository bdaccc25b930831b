public import PushCore

extension PostgresStore {
    /// Which database, and how it is used.
    public struct Configuration: Sendable {
        /// A connection string of PostgreSQL's, as a URL or as keywords and values. It may name several
        /// servers, of which the one that takes writes is used, and may hold a password.
        ///
        /// `sslmode` is `verify-full` unless it says otherwise, and `target_session_attrs` is always
        /// `read-write`.
        public var address: Secret

        /// The schema with the tables: one for each tenant.
        public var schema: String

        /// How many connections there are at the most, each with a thread of its own.
        public var connections: Int

        /// For how long a call tries again, while the server is away or its word is missing.
        public var patience: Duration

        /// Where libpq is; `nil` for where the system has it.
        public var library: String?

        /// Hears of each write whose reply was lost what became of it. It must return at once.
        public var onSettled: (@Sendable (SettledWrite) -> Void)?

        var maximumReply = 1 << 28

        /// Creates a configuration.
        ///
        /// - Parameters:
        ///   - address: A connection string of PostgreSQL's.
        ///   - schema: The schema with the tables.
        ///   - connections: How many connections there are at the most.
        ///   - patience: For how long a call tries again.
        ///   - library: Where libpq is; `nil` for where the system has it.
        public init(
            _ address: String, schema: String = "push", connections: Int = 8,
            patience: Duration = .seconds(10), library: String? = nil
        ) {
            self.address = Secret(copying: address)
            self.schema = schema
            self.connections = connections
            self.patience = patience
            self.library = library
        }

        func session(
            greeting: PostgresStatement?,
            _ judge: @escaping @Sendable ([PostgresRow]) -> PushError?
        ) async throws(PushError) -> PostgresSession {
            let library = try await PostgresLibrary.load(library)
            return PostgresSession(
                library: library, address: try PostgresAddress(address, library),
                greeting: greeting, judge: judge, maximumReply: maximumReply, past: PostgresPast(),
                preferred: Locked(0))
        }
    }

    /// What lets a server forget what it has confirmed.
    @nonexhaustive
    public enum Concern: Hashable, Sendable {
        /// `fsync` is off: a crash of the machine loses writes, or the whole database.
        case writesStayInMemory
        /// `full_page_writes` is off: a crash of the machine may leave pages that are half old.
        case pagesMayTear
        /// `synchronous_standby_names` is empty: when another server takes over, what it hadn't got
        /// yet is gone, decisions that were sent among it.
        case noSynchronousStandby
    }
}

extension PostgresStore.Concern: CustomStringConvertible {
    /// What is set, what follows, and what to set.
    public var description: String {
        switch self {
        case .writesStayInMemory:
            "fsync is off: a crash of the server's machine loses what was confirmed. Turn it on."
        case .pagesMayTear:
            "full_page_writes is off: a crash of the server's machine may damage the database. Turn it "
                + "on."
        case .noSynchronousStandby:
            "synchronous_standby_names is empty: when a standby takes over, it may lack what was "
                + "confirmed, and another decision could be made. Name a synchronous standby, unless "
                + "no other server ever takes over."
        }
    }
}
