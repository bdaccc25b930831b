import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Reading operations: with the token, which doesn't move the counter.
struct OperationCalls: Sendable {
    let channel: PowerAuthChannel

    /// As many operations as a server lists.
    private static let maximumCount = 100

    /// What a list has of operations.
    struct OperationList {
        /// The operations, each once. One that can't be read is left out, so that the others stay
        /// usable.
        var operations: [PowerAuthOperation] = []

        /// Whether that is all the server has: every entry could be read, its state is known, and
        /// there are fewer than a server lists.
        var isComplete = true
    }

    /// The operations that wait for an answer.
    func operations(of account: Account) async throws(PushError) -> OperationList {
        let value = try await read(.list, [:], of: account)
        return try operations(in: try told(value), of: account.id)
    }

    /// The operations in a list.
    func operations(
        in value: JSON, of enrollment: Enrollment.ID
    ) throws(PushError) -> OperationList {
        guard let list = value.array else {
            throw PushError(.malformed, "The server sent no list of operations.")
        }
        var seen: Set<Challenge.ID> = []
        var found = OperationList(isComplete: list.count < Self.maximumCount)
        for json in list.prefix(Self.maximumCount) {
            guard let operation = try? PowerAuthOperation(json) else {
                channel.environment.observer.observe(
                    PushObservation(
                        .refused(.malformed), "An operation in a list can't be read.",
                        provider: channel.provider, enrollment: enrollment))
                found.isComplete = false
                continue
            }
            // By bytes, as identifiers are compared.
            guard seen.insert(Challenge.ID(operation.id, of: enrollment)).inserted else { continue }
            // It may wait, for all that is known here.
            if case .unknown = operation.status { found.isComplete = false }
            found.operations.append(operation)
        }
        return found
    }

    /// One operation as it is now.
    func operation(
        _ id: Challenge.ID, _ account: Account
    ) async throws(PushError) -> PowerAuthOperation {
        try told(await found(id, account, by: .detail))
    }

    /// What the server says of one operation now.
    func currentStatus(
        of id: Challenge.ID, _ account: Account
    ) async throws(PushError) -> Challenge.Status {
        switch try await found(id, account, by: .detail) {
        case .success(let operation): operation.status.found
        case .failure(let end): end.found
        }
    }

    /// One operation, which is this user's from now on.
    func claim(
        _ id: Challenge.ID, _ account: Account
    ) async throws(PushError) -> PowerAuthOperation {
        try told(await found(id, account, by: .claim))
    }

    /// What was asked for, or, as an error, the end that the server told in its place.
    private func told<Value>(
        _ found: Result<Value, PowerAuthOperationEnd>
    ) throws(PushError) -> Value {
        switch found {
        case .success(let value): return value
        case .failure(let end): throw end.error
        }
    }

    private func found(
        _ id: Challenge.ID, _ account: Account, by path: OperationPath
    ) async throws(PushError) -> Result<PowerAuthOperation, PowerAuthOperationEnd> {
        let value: JSON
        switch try await read(path, ["requestObject": ["id": .string(id.name)]], of: account) {
        case .success(let found): value = found
        case .failure(let end): return .failure(end)
        }
        let operation = try PowerAuthOperation(value)
        guard operation.id.utf8.elementsEqual(id.name.utf8) else {
            throw PushError(.malformed, "The server sent another operation than it was asked for.")
        }
        return .success(operation)
    }

    private func read(
        _ path: OperationPath, _ body: JSON, of account: Account
    ) async throws(PushError) -> Result<JSON, PowerAuthOperationEnd> {
        let sent = channel.environment.clock.elapsed
        let reply = try await channel.sendWithToken(account, path.rawValue, body: body.data)
        if reply.isSuccess {
            // Unsigned, so it counts for the server, as a reply's `Date` would.
            if let time = reply.object["currentTimestamp"]?.string.flatMap(ServerDate.date) {
                await channel.note(time, sent: sent)
            }
            return .success(reply.responseObject ?? .null)
        }
        if let end = reply.refusal.flatMap(PowerAuthOperationEnd.init), path != .list {
            return .failure(end)
        }
        throw await channel.failure(reply, of: account, factors: .possession)
    }

    /// What announces an operation; nothing but its name is needed to open it.
    func announcement(
        of operation: PowerAuthOperation, at enrollment: Enrollment.ID
    ) -> Announcement {
        Announcement(
            notice(of: operation, at: enrollment), context: AnnouncedForm.operation(nil).context)
    }

    func notice(of operation: PowerAuthOperation, at enrollment: Enrollment.ID) -> Notice {
        Notice(
            id: Challenge.ID(operation.id, of: enrollment), title: operation.formData.title,
            body: operation.formData.message, issued: operation.operationCreated,
            expiry: operation.operationExpires, proof: .fetched)
    }
}

extension SignedCall {
    static let authorize = SignedCall(
        path: "/api/auth/token/app/operation/authorize", uriID: "/operation/authorize")
    static let cancel = SignedCall(
        path: "/api/auth/token/app/operation/cancel", uriID: "/operation/cancel")
    static let history = SignedCall(
        path: "/api/auth/token/app/operation/history", uriID: "/operation/history")
}

/// The calls that a token proves.
enum OperationPath: String {
    case list = "/api/auth/token/app/operation/list"
    case detail = "/api/auth/token/app/operation/detail"
    case claim = "/api/auth/token/app/operation/detail/claim"
}
