import PushCore

/// A store's connections, lent for one statement each.
actor PostgresPool {
    nonisolated let past: PostgresPast
    private let session: PostgresSession
    private var idle: [PostgresConnection]
    private var waiting: ArraySlice<CheckedContinuation<PostgresConnection, Never>> = []

    init(_ session: PostgresSession, count: Int) {
        self.session = session
        past = session.past
        idle = (0..<max(1, count)).map { _ in PostgresConnection(session) }
    }

    func run(
        _ statement: PostgresStatement, until end: ContinuousClock.Instant
    ) async -> PostgresReply {
        let connection = await take()
        let reply = await connection.run(statement, until: end)
        giveBack(connection)
        return reply
    }

    /// Whether two connections have one of the server's processes: then a pooler is between, and hands it
    /// out for each transaction.
    func sharesProcesses(until end: ContinuousClock.Instant) async -> Bool {
        let first = await take()
        let second = PostgresConnection(session)
        var found: [[Secret?]] = []
        let statement = PostgresStatement("", "SELECT pg_backend_pid()")
        for connection in [first, second] {
            if case .rows(let rows) = await connection.run(statement, until: end) {
                found += rows.map(\.columns)
            }
        }
        giveBack(first)
        guard found.count == 2, let one = found[0].first, let other = found[1].first, let one,
            let other
        else { return false }
        return one.isEqualInConstantTime(to: other)
    }

    /// The one that was used last, so that those that aren't needed stay unopened.
    private func take() async -> PostgresConnection {
        if let connection = idle.popLast() { return connection }
        return await withCheckedContinuation { waiting.append($0) }
    }

    private func giveBack(_ connection: PostgresConnection) {
        if let next = waiting.popFirst() {
            next.resume(returning: connection)
        } else {
            idle.append(connection)
        }
    }
}

/// For how long, and how often, something is tried again.
struct PostgresAttempts {
    let end: ContinuousClock.Instant
    private var pause = 20

    init(for patience: Duration) {
        end = .now + patience
    }

    /// Waits a little, longer each time.
    ///
    /// - Returns: Whether there is time left to try again.
    mutating func next() async -> Bool {
        let duration = Duration.milliseconds(Int.random(in: pause / 2...pause))
        guard ContinuousClock.now + duration < end else { return false }
        pause = min(pause * 2, 500)
        // A caller who gave up learns what became of the statement all the same.
        await Task { try? await Task.sleep(for: duration) }.value
        return true
    }
}

extension PostgresPool {
    /// Reads, as often as it takes.
    ///
    /// - Parameters:
    ///   - statement: What is read.
    ///   - patience: For how long it is tried.
    ///   - column: Where the rows have the revisions of records; `nil` if they have none.
    /// - Returns: The rows.
    /// - Throws: `PushError` with the code `storage` if that doesn't succeed, or the server went back.
    nonisolated func read(
        _ statement: PostgresStatement, within patience: Duration, revisionAt column: Int? = nil
    ) async throws(PushError) -> [PostgresRow] {
        let replaced = past.replacedCount
        var attempts = PostgresAttempts(for: patience)
        while true {
            let failure: PostgresFailure
            switch await run(statement, until: attempts.end) {
            case .rows(let rows):
                for row in rows {
                    guard let column, let revision = row.revision(column) else { continue }
                    try past.check(revision, since: replaced)
                }
                return rows
            case .refused(let error): throw error
            case .lost(.tooLarge): throw PostgresFailure.tooLarge.refusal
            case .undone(let last), .lost(let last): failure = last
            }
            guard await attempts.next() else { throw failure.refusal }
        }
    }
}
