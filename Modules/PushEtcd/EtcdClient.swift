import HTTPTypes
import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Requests to whichever member answers.
struct EtcdClient: Sendable {
    let transport: any Transport
    let members: EtcdMembers
    let count: Int
    let configuration: EtcdStore.Configuration
    let place: String

    /// Asks for what changes nothing, until a member answers or the patience is over.
    ///
    /// - Throws: `PushError` with the code `storage`; `storageUnknown` if the history asked for is gone;
    ///   `oversizedReply` if the transport doesn't take a reply that large.
    func ask(_ path: String, _ body: String) async throws(PushError) -> EtcdReply {
        try await uncancelled { () async throws(PushError) in
            try await askPatiently(path, body)
        }
    }

    private func askPatiently(
        _ path: String, _ body: String
    ) async throws(PushError) -> EtcdReply {
        var tries = EtcdTries(for: configuration.patience, of: count)
        while true {
            switch await attempt(path, body) {
            case .reply(let reply): return reply
            case .refused(let error), .unauthenticated(let error), .full(let error),
                .foreign(let error):
                throw error
            case .compacted:
                throw PushError(
                    .storageUnknown, "etcd compacted the history that says what became of a write.")
            case .unknown(let error) where error.code == .oversizedReply: throw error
            case .unsent(let error), .unknown(let error), .busy(let error):
                guard await tries.goOn(after: error) else { throw tries.failure }
            }
        }
    }

    /// Sends a request once, to one member; once more with a new token if the old one isn't valid.
    func attempt(_ path: String, _ body: String) async -> EtcdAnswer {
        guard configuration.login != nil else { return await exchange(path, body, token: nil) }
        var old: String?
        for _ in 0..<2 {
            let token: String
            do throws(PushError) {
                token = try await members.token(besides: old) { () async throws(PushError) in
                    try await authenticate()
                }
            } catch {
                return error.code == .storage ? .refused(error) : .unsent(error)
            }
            let answer = await exchange(path, body, token: token)
            guard case .unauthenticated = answer, old == nil else { return answer }
            old = token
        }
        return .unsent(PushError(.storage, "etcd gives no token."))
    }

    /// - Throws: `PushError` with the code `storage` if etcd refuses the user, `unreachable` if no
    ///   member could say.
    private func authenticate() async throws(PushError) -> String {
        let login = configuration.login
        let body = JSON.object([
            "name": .string(login?.user ?? ""),
            "password": .string(login?.password.copiedText() ?? ""),
        ])
        let (index, member) = await members.choice
        let request = request(EtcdRequest.authenticatePath, to: member, token: nil)
        let answer: EtcdAnswer
        switch await send(request, Data(body.utf8)) {
        case .success((let response, let reply)):
            let token = (try? JSON(parsing: reply))?["token"]?.string
            if response.status == .ok, let token { return token }
            answer = EtcdAnswer(response, reply, from: member.authority, for: place)
        case .failure(let error): answer = EtcdAnswer(error, from: member.authority)
        }
        switch answer {
        case .refused(let error), .unauthenticated(let error), .full(let error): throw error
        case .unsent(let error), .unknown(let error), .busy(let error):
            await members.leave(index)
            throw PushError(.unreachable, error.reason, underlying: error)
        case .reply, .foreign, .compacted:
            throw PushError(.storage, "\(member.authority) gives no token for the user.")
        }
    }

    private func exchange(_ path: String, _ body: String, token: String?) async -> EtcdAnswer {
        let (index, member) = await members.choice
        let floors = await members.revisions
        let answer: EtcdAnswer
        switch await send(request(path, to: member, token: token), Data(body.utf8)) {
        case .success((let response, let reply)):
            answer = EtcdAnswer(response, reply, from: member.authority, for: place)
        case .failure(let error): answer = EtcdAnswer(error, from: member.authority)
        }
        switch answer {
        case .reply(let reply):
            do throws(PushError) {
                guard try await members.note(reply, from: index, since: floors) else {
                    await members.leave(index)
                    return .unknown(
                        PushError(
                            .interrupted,
                            "\(member.authority) says another revision than the other members."))
                }
            } catch {
                // Perhaps it is wrong alone.
                await members.leave(index)
                return .foreign(error)
            }
        // One that is busy or asks for a token is there.
        case .refused, .busy, .unauthenticated, .full, .foreign, .compacted: break
        case .unknown(let error) where error.code == .oversizedReply: break
        case .unsent, .unknown: await members.leave(index)
        }
        return answer
    }

    private func request(_ path: String, to member: EtcdMember, token: String?) -> HTTPRequest {
        var request = HTTPRequest(
            method: .post, scheme: member.scheme, authority: member.authority, path: path,
            headerFields: [.contentType: "application/json"])
        request.headerFields[.authorization] = token
        return request
    }

    /// One exchange, no longer than a try may take.
    private func send(
        _ request: HTTPRequest, _ body: Data
    ) async -> Result<(response: HTTPResponse, body: Data), PushError> {
        typealias Exchange = Result<(response: HTTPResponse, body: Data), PushError>
        return await withTaskGroup(of: Exchange?.self) { group in
            group.addTask {
                await Result { () async throws(PushError) in
                    try await transport.send(request, body: body)
                }
            }
            group.addTask {
                try? await Task.sleep(for: configuration.tryTimeout)
                return nil
            }
            var result: Exchange?
            // If the time is over first, the exchange is cancelled, and says what may have been done.
            while result == nil, let next = await group.next() {
                result = next
                group.cancelAll()
            }
            return result ?? .failure(PushError(.interrupted, "The exchange gave no result."))
        }
    }
}

/// How long something is tried again, with pauses that grow.
struct EtcdTries {
    private let end: ContinuousClock.Instant
    private let patience: Duration
    private let members: Int
    private var pause = 20.0
    private var tries = 0
    private var distrusted = 0
    private var last: PushError?

    init(for patience: Duration, of members: Int) {
        end = ContinuousClock.now + patience
        self.patience = patience
        self.members = members
    }

    /// Waits, unless there is no sense in another try.
    mutating func goOn(after error: PushError) async -> Bool {
        last = error
        tries += 1
        let isDistrust = error.code == .untrustedServer || error.code == .pinMismatch
        distrusted = isDistrust ? distrusted + 1 : 0
        guard ContinuousClock.now < end, distrusted < members else { return false }
        // The next member at once; after a round a pause, as elections take a while.
        guard tries >= members else { return true }
        try? await Task.sleep(for: .milliseconds(Double.random(in: pause / 2...pause)))
        pause = min(pause * 2, 500)
        return ContinuousClock.now < end
    }

    /// What to say once it is over.
    var failure: PushError {
        if distrusted > 0 {
            return PushError(
                .storage,
                "etcd's certificate isn't trusted: give the transport etcd's authority. "
                    + (last?.reason ?? ""), underlying: last)
        }
        return PushError(
            .storage,
            "No member of etcd answered for \(patience): more than half must run and be reached. Check "
                + "whether they speak https or http, and want client certificates. The last try: "
                + (last?.reason ?? ""), underlying: last)
    }
}

/// Runs what is sent apart from the caller's task: nothing cancels a write that has begun.
func uncancelled<Value: Sendable>(
    _ body: @escaping @Sendable () async throws(PushError) -> Value
) async throws(PushError) -> Value {
    try await Task { await Result { () async throws(PushError) in try await body() } }.value.get()
}
