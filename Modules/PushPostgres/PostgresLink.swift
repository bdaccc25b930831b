internal import CPushPostgres
import PushCore

/// An open connection, as libpq has it. Whoever has it calls it from one thread at a time.
final class PostgresLink {
    private let functions: push_pq
    private let handle: OpaquePointer
    private let notices: UnsafeMutablePointer<push_pq_notices>
    private var prepared: Set<String> = []

    /// How much memory the rows of one reply may take.
    private let maximumReply: Int

    private init(_ library: PostgresLibrary, _ handle: OpaquePointer, _ maximumReply: Int) {
        self.maximumReply = maximumReply
        functions = library.functions.pointee
        self.handle = handle
        notices = .allocate(capacity: 1)
        notices.initialize(to: push_pq_notices(library: library.functions, doubts: 0))
        _ = functions.setErrorVerbosity(handle, Int32(push_pq_verbosity_sqlstate))
        push_pq_count_doubts(notices, handle)
    }

    deinit {
        functions.finish(handle)
        notices.deinitialize(count: 1)
        notices.deallocate()
    }

    // MARK: Opening

    static func open(
        _ library: PostgresLibrary, _ options: [(keyword: String, value: Secret)],
        within patience: Duration, maximumReply: Int
    ) -> Result<PostgresLink, PostgresFailure> {
        let texts = options.map { (Secret(copying: $0.keyword).terminated, $0.value.terminated) }
        let handle = withPointers(texts.map(\.0)) { keywords in
            withPointers(texts.map(\.1)) { values in
                library.functions.pointee.connectStartParams(keywords, values, 1)
            }
        }
        guard let handle else {
            return .failure(PostgresFailure(state: nil, message: "there is no memory left"))
        }
        let link = PostgresLink(library, handle, maximumReply)
        return link.finishOpening(until: .now + patience).map { .failure($0) } ?? .success(link)
    }

    /// Lends C texts as an array that a null pointer ends.
    private static func withPointers<Value>(
        _ texts: [Secret], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Value
    ) -> Value {
        // The secrets outlive the call, and so does the memory that they lend.
        let pointers = texts.map { text in
            text.withBytes { $0.baseAddress?.assumingMemoryBound(to: CChar.self) }
        }
        return withExtendedLifetime(texts) {
            (pointers + [nil]).withUnsafeBufferPointer { list in
                list.baseAddress.map(body) ?? withUnsafePointer(to: nil, body)
            }
        }
    }

    private func finishOpening(until end: ContinuousClock.Instant) -> PostgresFailure? {
        guard functions.status(handle) != 1 else { return said }  // CONNECTION_BAD
        var (reads, writes) = (false, true)
        while true {
            guard wait(reads: reads, writes: writes, until: end) else {
                return PostgresFailure(state: nil, message: "the server doesn't answer")
            }
            switch Int(functions.connectPoll(handle)) {
            case Int(push_pq_polling_ok):
                _ = functions.setnonblocking(handle, 1)
                return nil
            case Int(push_pq_polling_reading): (reads, writes) = (true, false)
            case Int(push_pq_polling_writing): (reads, writes) = (false, true)
            default: return said
            }
        }
    }

    // MARK: Statements

    /// Whether the server has closed it, as far as can be seen without sending.
    var isClosed: Bool {
        guard push_pq_wait(functions.socket(handle), true, false, 0) > 0 else { return false }
        return functions.consumeInput(handle) == 0 || !isWhole
    }

    private var isWhole: Bool { functions.status(handle) == Int32(push_pq_connection_ok) }

    /// Executes a statement.
    ///
    /// - Returns: What became of it, and whether the connection can be used again.
    func run(
        _ statement: PostgresStatement, within patience: Duration
    ) -> (reply: PostgresReply, isUsable: Bool) {
        let end = ContinuousClock.now + patience
        let name = statement.name
        if !prepared.contains(name) {
            let isSent = functions.sendPrepare(handle, name, statement.text, 0, nil) == 1
            // Nothing has been executed yet.
            switch isSent ? collect(until: end) : .lost(said) {
            case .rows: if !name.isEmpty { prepared.insert(name) }
            case .lost(let failure): return (.undone(failure), false)
            case let reply: return (reply, isWhole)
            }
        }
        notices.pointee.doubts = 0
        guard send(statement) else { return (.lost(said), false) }
        _ = functions.setSingleRowMode(handle)
        let reply = collect(until: end)
        switch reply {
        case .rows where notices.pointee.doubts > 0:
            // The one warning that such statements meet: that a standby wasn't waited for.
            let failure = PostgresFailure(
                state: nil, message: "the server didn't wait for its standby")
            return (.lost(failure), isWhole)
        case .undone(let failure): return (reply, isWhole && !failure.endsConnection)
        case .lost: return (reply, false)
        default: return (reply, isWhole)
        }
    }

    private func send(_ statement: PostgresStatement) -> Bool {
        let (memory, ends) = statement.encoded
        return memory.withBytes { bytes in
            // An empty value needs an address as well: none would be NULL.
            withUnsafePointer(to: CChar(0)) { empty in
                let starts = [0] + ends.dropLast()
                let values = zip(starts, ends).map { start, end in
                    start == end
                        ? empty
                        : bytes.baseAddress.map { ($0 + start).assumingMemoryBound(to: CChar.self) }
                }
                let lengths = zip(starts, ends).map { Int32($1 - $0) }
                let formats = ends.map { _ in Int32(1) }
                return functions.sendQueryPrepared(
                    handle, statement.name, Int32(ends.count), values, lengths, formats, 1) == 1
            }
        }
    }

    /// Sends what is left to send, and reads until the statement's end, row by row: libpq itself would
    /// keep all rows, however many a server sends.
    private func collect(until end: ContinuousClock.Instant) -> PostgresReply {
        var rows: [PostgresRow] = []
        var room = maximumReply
        var reply: PostgresReply?
        while true {
            let flushed = functions.flush(handle)
            guard flushed >= 0 else { return .lost(said) }
            if functions.isBusy(handle) == 0 {
                guard let result = functions.getResult(handle) else {
                    return reply ?? .lost(said)
                }
                defer { functions.clear(result) }
                switch functions.resultStatus(result) {
                case Int32(push_pq_single_tuple), Int32(push_pq_tuples_ok),
                    Int32(push_pq_command_ok):
                    rows += self.rows(of: result, &room)
                    guard room > 0 else { return .lost(.tooLarge) }
                    // An error stands, whatever comes behind it.
                    if reply == nil || reply?.isSuccess == true { reply = .rows(rows) }
                default: if reply?.isSuccess ?? true { reply = failure(of: result).reply }
                }
                continue
            }
            guard wait(reads: true, writes: flushed == 1, until: end) else {
                return .lost(.tooSlow)
            }
            guard functions.consumeInput(handle) == 1 else { return .lost(said) }
        }
    }

    private func failure(of result: OpaquePointer) -> PostgresFailure {
        let state = functions.resultErrorField(result, Int32(push_pq_field_state))
            .map { String(cString: $0) }
        // A broken connection makes an error of its own, without a code.
        return PostgresFailure(state: state, message: said.message)
    }

    /// The rows of a result; what they take goes off the room.
    private func rows(of result: OpaquePointer, _ room: inout Int) -> [PostgresRow] {
        let columns = functions.nfields(result)
        return (0..<functions.ntuples(result)).map { row in
            let row = PostgresRow(columns: (0..<columns).map { value(of: result, row, $0) })
            room -= row.columns.reduce(64) { $0 + 32 + ($1?.count ?? 0) }
            return row
        }
    }

    private func value(of result: OpaquePointer, _ row: Int32, _ column: Int32) -> Secret? {
        guard functions.getisnull(result, row, column) == 0,
            let start = functions.getvalue(result, row, column)
        else { return nil }
        let count = Int(functions.getlength(result, row, column))
        return Secret(copying: UnsafeRawBufferPointer(start: start, count: count))
    }

    private var said: PostgresFailure {
        PostgresFailure(
            saying: functions.errorMessage(handle).map { String(cString: $0) } ?? "no reason given")
    }

    private func wait(reads: Bool, writes: Bool, until end: ContinuousClock.Instant) -> Bool {
        let left = end - .now
        guard left > .zero else { return false }
        let (seconds, attoseconds) = left.components
        let milliseconds = Int32(clamping: seconds * 1000 + attoseconds / 1_000_000_000_000_000 + 1)
        return push_pq_wait(functions.socket(handle), reads, writes, milliseconds) > 0
    }
}
