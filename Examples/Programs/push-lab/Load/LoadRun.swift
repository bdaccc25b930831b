import Foundation
import HTTPTypes
import LocalServer
import PushCore
import PushPlatform

/// The measurements of one run.
struct LoadRun {
    static let secret = "load-without-any-secret"

    let site: LoadSite
    let program: URL

    /// What something took.
    struct Pace {
        var time: Duration
        /// What the kernel counted for its process, in seconds.
        var processor: Double

        mutating func add(_ other: Self) {
            time += other.time
            processor += other.processor
        }

        var halved: Self { Pace(time: time / 2, processor: processor / 2) }
    }

    func report() async throws -> LoadReport {
        let writes = try await loginWrites()
        let answers = try await heldAnswers()
        // Half before and half after: what else the machine does, it does to both.
        var bare = try await compareAndSet(writes, "before")
        let listening = try await listen()
        bare.add(try await compareAndSet(writes, "after"))
        let loop = try await bareLoop(answers)
        return LoadReport(
            count: site.count, width: site.width, writes: writes.count,
            bytes: writes.reduce(0, +) / max(1, writes.count),
            listening: listening, loop: loop,
            bare: bare.halved)
    }

    // MARK: pushauth

    private func listen() async throws -> Pace {
        let (ids, pushes) = try await site.startLogins(site.count)
        let listener = try await LoadListener(program, at: site)
        defer { listener.stop() }
        try await listener.rest()
        let processor = listener.processor
        let start = ContinuousClock.now
        let (transport, url) = (site.transport, listener.url)
        async let answered: Void = listener.answers(site.count)
        try await times(site.count, width: site.width) { index in
            try await Self.deliver(pushes[index], to: url, over: transport)
        }
        try await answered
        let pace = Pace(
            time: ContinuousClock.now - start, processor: listener.processor - processor)
        try await site.checkApproved(ids)
        return pace
    }

    /// Delivers a push as a push service would.
    static func deliver(
        _ push: Data, to url: String, over transport: some Transport, secret: String = secret
    ) async throws {
        let request = try Endpoint(url).request(
            .post,
            headers: [.contentType: "application/json", .authorization: "Bearer \(secret)"])
        while true {
            let (response, _) = try await transport.send(request, body: push)
            if response.status == .accepted { return }
            // Pushes come faster than they are answered: it is sent again, as a push service does.
            guard response.status == .serviceUnavailable else {
                throw PushError(
                    .server(status: response.status.code),
                    "Expected 202 for a push, not \(response.status.code).")
            }
            try await Task.sleep(for: .milliseconds(100))
        }
    }

    // MARK: The store alone

    /// The sizes of what one login writes, in order.
    private func loginWrites() async throws -> [Int] {
        let store = OverlaidStore(over: try await site.store.open())
        let authenticator = try site.authenticator(over: store, site.transport)
        for push in try await site.startLogins(1).pushes {
            for reception in try await authenticator.receive(PushMessage(json: push)) {
                guard let id = reception.challenge else { continue }
                let challenge = try await authenticator.challenge(id)
                let outcome = try await authenticator.resolve(challenge, with: .approve)
                guard outcome == .delivered else {
                    throw PushError(.notFound, "Expected an answer that is taken, not \(outcome).")
                }
            }
        }
        return await store.sizes
    }

    /// Writes as much as so many logins do: one record each, made and replaced.
    private func compareAndSet(_ sizes: [Int], _ name: String) async throws -> Pace {
        let store = try await FileStore(
            at: site.path("bare-\(name)"), key: .file(site.path("store.key")))
        let values = sizes.map { Secret([UInt8](repeating: 0x5A, count: $0)) }
        let processor = ProcessorTime.of(getpid())
        let start = ContinuousClock.now
        try await times(site.count, width: site.width) { index in
            let key = RecordKey(RecordedRows.collection, "\(index)")
            var revision: Revision?
            for value in values {
                revision = try await store.write(value, for: key, replacing: revision)
            }
        }
        return Pace(
            time: ContinuousClock.now - start, processor: ProcessorTime.of(getpid()) - processor)
    }

    // MARK: The network alone

    /// A login's push and the answer to it, for each account: the SDK's own, held back.
    private func heldAnswers() async throws -> [HeldAnswer] {
        let transport = HoldingTransport()
        let store = OverlaidStore(over: try await site.store.open())
        let authenticator = try site.authenticator(over: store, transport)
        var answers: [HeldAnswer] = []
        for push in try await site.startLogins(site.count).pushes {
            for reception in try await authenticator.receive(PushMessage(json: push)) {
                guard let id = reception.challenge else { continue }
                let challenge = try await authenticator.challenge(id)
                _ = try await authenticator.resolve(challenge, with: .approve)
                guard let (request, body) = await transport.take() else {
                    throw PushError(.notFound, "No answer was sent.")
                }
                answers.append(HeldAnswer(push: push, request: request, body: body))
            }
        }
        return answers
    }

    private func bareLoop(_ answers: [HeldAnswer]) async throws -> Pace {
        let lines = answers.map { $0.json.text + "\n" }.joined()
        try Data(lines.utf8).write(to: URL(fileURLWithPath: site.path("answers")))
        let intake = try await LocalServer.start { _, _ in
            (HTTPResponse(status: .accepted), Data())
        }
        let pace = await Result(catching: { () async throws -> Pace in
            try await LoadLoop.run(
                site.path("answers"), to: intake.origin + "/push", trusting: site.authorities,
                width: site.width)
        })
        await intake.stop()
        return try pace.get()
    }
}

extension Result where Failure == any Error {
    fileprivate init(catching body: () async throws -> Success) async {
        do {
            self = .success(try await body())
        } catch {
            self = .failure(error)
        }
    }
}
