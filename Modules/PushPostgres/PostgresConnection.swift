internal import CPushPostgres
internal import Dispatch
import PushCore

/// One connection, which is made when it is first used, and again after it broke.
///
/// libpq waits where it is called, so all of it happens on a queue of its own, whose thread isn't one
/// of Swift's. Nothing of it is touched from anywhere else, but for its end, when nobody has it any
/// more: that is why `@unchecked Sendable` is safe.
final class PostgresConnection: @unchecked Sendable {
    private let session: PostgresSession
    private let queue = DispatchQueue(label: "push-postgres")
    private var link: PostgresLink?

    init(_ session: PostgresSession) {
        self.session = session
    }

    /// Executes a statement; nothing was sent if the time is over before there is a connection.
    func run(
        _ statement: PostgresStatement, until end: ContinuousClock.Instant
    ) async -> PostgresReply {
        await withCheckedContinuation { continuation in
            queue.async {
                continuation.resume(returning: self.runNow(statement, until: end))
            }
        }
    }

    private func runNow(
        _ statement: PostgresStatement, until end: ContinuousClock.Instant
    ) -> PostgresReply {
        // One that was left alone for long may have been closed: found out before anything is sent.
        if let link, link.isClosed { self.link = nil }
        let link: PostgresLink
        if let open = self.link {
            link = open
        } else {
            switch session.open(until: end) {
            case .success(let new): link = new
            case .failure(let reply): return reply.reply
            }
        }
        let (reply, isUsable) = link.run(statement, within: PostgresSession.patience)
        self.link = isUsable ? link : nil
        return reply
    }
}

/// How connections are made.
struct PostgresSession: Sendable {
    /// Why there is no connection; nothing was sent but what asks for one.
    struct Refusal: Error {
        let reply: PostgresReply
    }

    /// How long one server may take to let a connection in, and then to answer a statement.
    static let patience: Duration = .seconds(3)

    let library: PostgresLibrary
    let address: PostgresAddress

    /// What a new connection asks first; `nil` for nothing.
    let greeting: PostgresStatement?

    /// Judges what the greeting's reply is.
    let judge: @Sendable ([PostgresRow]) -> PushError?

    /// How much memory the rows of one reply may take.
    let maximumReply: Int

    /// Finds a server out that went back.
    let past: PostgresPast

    /// The server that was reached last.
    let preferred: Locked<Int>

    /// Tries each server once.
    func open(until end: ContinuousClock.Instant) -> Result<PostgresLink, Refusal> {
        var last = PostgresFailure(state: nil, message: "there was no time left to try")
        let first = preferred.withLock { $0 }
        for step in address.servers.indices {
            guard ContinuousClock.now < end else { break }
            let index = (first + step) % address.servers.count
            switch connect(to: address.servers[index]) {
            case .success(let link):
                preferred.withLock { $0 = index }
                return .success(link)
            case .failure(let refusal):
                guard case .undone(let failure) = refusal.reply else { return .failure(refusal) }
                last = failure
            }
        }
        return .failure(Refusal(reply: .undone(last)))
    }

    private func connect(to server: PostgresAddress.Server) -> Result<PostgresLink, Refusal> {
        let link: PostgresLink
        switch PostgresLink.open(
            library, address.options(of: server), within: Self.patience, maximumReply: maximumReply)
        {
        case .success(let new): link = new
        case .failure(let failure):
            return .failure(
                Refusal(
                    reply: failure.isFinalForConnection
                        ? .refused(failure.refusal) : .undone(failure)))
        }
        guard let greeting else { return .success(link) }
        let known = past.known
        switch link.run(greeting, within: Self.patience).reply {
        case .rows(let rows):
            let error = judge(rows) ?? past.refusal(of: rows, after: known)
            return error.map { .failure(Refusal(reply: .refused($0))) } ?? .success(link)
        case .lost(let failure), .undone(let failure):
            return .failure(Refusal(reply: .undone(failure)))
        case .refused(let error): return .failure(Refusal(reply: .refused(error)))
        }
    }
}
