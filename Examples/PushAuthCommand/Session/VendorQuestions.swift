import Foundation
import HTTPTypes
import PushCore

/// The exchanges with vendors that pushes which prove nothing lead to: not too many at one server, so that
/// a server that never answers costs the others nothing.
actor VendorQuestions {
    /// Whether what a task does, and what it begins, is to learn what a push was about.
    static let isAsking = TaskLocal<Bool>(wrappedValue: false)

    /// How many are on their way to a server at the same time.
    static let width = 16

    /// How many may wait for one of those to end, and for how long; then the push's sender sends it again.
    static let capacity = 256
    private static let patience = Duration.seconds(3)

    /// After how long a server that hasn't answered is said to hang.
    private let limit: Duration

    private struct Server {
        var starts: [Int: ContinuousClock.Instant] = [:]
        var waiting: [(number: Int, turn: AsyncStream<Bool>.Continuation)] = []
    }

    private var servers: [String: Server] = [:]
    private var nextNumber = 0

    /// - Parameter limit: After how long a server that hasn't answered is said to hang.
    init(limit: Duration = .seconds(5)) {
        self.limit = limit
    }

    /// The servers that let a question wait for too long now.
    var hanging: [String] {
        servers.filter { $0.value.starts.values.contains { $0.duration(to: .now) > limit } }
            .keys.sorted()
    }

    /// Does something with a server once it is its turn.
    ///
    /// - Parameters:
    ///   - server: The server.
    ///   - body: What to do.
    /// - Returns: What it returns.
    /// - Throws: What it throws; `PushError` with `unreachable` if its turn doesn't come.
    func ask<Value: Sendable>(
        _ server: String, _ body: @Sendable () async throws(PushError) -> Value
    ) async throws(PushError) -> Value {
        let number = try await enter(server)
        do throws(PushError) {
            let value = try await body()
            leave(server, number)
            return value
        } catch {
            leave(server, number)
            throw error
        }
    }

    private func enter(_ server: String) async throws(PushError) -> Int {
        nextNumber += 1
        let number = nextNumber
        let known = servers[server] ?? Server()
        guard known.starts.count >= Self.width else {
            servers[server, default: known].starts[number] = .now
            return number
        }
        guard known.waiting.count < Self.capacity else { throw Self.busy }
        let (turns, turn) = AsyncStream<Bool>.makeStream()
        servers[server]?.waiting.append((number, turn))
        let clock = Task {
            try await Task.sleep(for: Self.patience)
            giveUp(number, at: server)
        }
        defer { clock.cancel() }
        for await isMine in turns where isMine { return number }
        giveUp(number, at: server)
        throw Self.busy
    }

    private func giveUp(_ number: Int, at server: String) {
        guard let index = servers[server]?.waiting.firstIndex(where: { $0.number == number }) else {
            return
        }
        servers[server]?.waiting.remove(at: index).turn.finish()
    }

    private func leave(_ server: String, _ number: Int) {
        guard var known = servers[server] else { return }
        known.starts[number] = nil
        while known.starts.count < Self.width, !known.waiting.isEmpty {
            let next = known.waiting.removeFirst()
            known.starts[next.number] = .now
            next.turn.yield(true)
            next.turn.finish()
        }
        servers[server] = known.starts.isEmpty ? nil : known
    }

    private static let busy = PushError(
        .unreachable, "As many questions are at this server as may be, and none was answered.")
}

/// A network on which the questions that pushes lead to wait for their turn.
struct QuestioningTransport: Transport {
    let base: any Transport
    let questions: VendorQuestions

    func send(
        _ request: HTTPRequest, body: Data
    ) async throws(PushError) -> (response: HTTPResponse, body: Data) {
        guard VendorQuestions.isAsking.get() else {
            return try await base.send(request, body: body)
        }
        return try await questions.ask(request.authority ?? "") {
            () async throws(PushError) -> (response: HTTPResponse, body: Data) in
            try await base.send(request, body: body)
        }
    }
}
