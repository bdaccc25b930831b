import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Reading operations: with the token, which doesn't move the counter.
extension PowerAuth {
    /// As many operations as a server lists.
    private static let greatestCount = 100

    /// The operations that wait for an answer. One that can't be read is left out, so that the
    /// others stay usable.
    func operations(of enrollment: Enrollment.ID) async throws(PushError) -> [PowerAuthOperation] {
        let value = try await read(.list, [:], of: enrollment)
        return try operations(in: value, of: enrollment)
    }

    /// The operations in a list, each once.
    func operations(
        in value: JSON, of enrollment: Enrollment.ID
    ) throws(PushError) -> [PowerAuthOperation] {
        guard let list = value.array else {
            throw error(.malformed, "The server sent no list of operations.")
        }
        var seen: Set<Challenge.ID> = []
        var operations: [PowerAuthOperation] = []
        for json in list.prefix(Self.greatestCount) {
            guard let operation = try? PowerAuthOperation(json) else {
                notice("An operation in a list can't be read.", at: enrollment)
                continue
            }
            // By bytes, as identifiers are compared.
            guard seen.insert(Challenge.ID(operation.id, of: enrollment)).inserted else { continue }
            operations.append(operation)
        }
        return operations
    }

    /// One operation as it is now.
    func operation(_ id: Challenge.ID) async throws(PushError) -> PowerAuthOperation {
        try await operation(id, by: .detail)
    }

    /// One operation, which is this user's from now on.
    func claim(_ id: Challenge.ID) async throws(PushError) -> PowerAuthOperation {
        try await operation(id, by: .claim)
    }

    private func operation(
        _ id: Challenge.ID, by path: OperationPath
    ) async throws(PushError) -> PowerAuthOperation {
        let value = try await read(
            path, ["requestObject": ["id": .string(id.name)]], of: id.enrollment)
        let operation = try PowerAuthOperation(value)
        guard operation.id.utf8.elementsEqual(id.name.utf8) else {
            throw error(.malformed, "The server sent another operation than it was asked for.")
        }
        return operation
    }

    private func read(
        _ path: OperationPath, _ body: JSON, of enrollment: Enrollment.ID
    ) async throws(PushError) -> JSON {
        let sent = environment.clock.elapsed
        let reply = try await channel.withToken(enrollment, path.rawValue, body: body.data)
        if reply.isSuccess {
            // The server's own word, over the enrolled channel.
            if let time = reply.object["currentTimestamp"]?.string.flatMap(ServerDate.date) {
                await channel.note(time, sent: sent)
            }
            return reply.responseObject ?? .null
        }
        if let end = reply.errorCode.flatMap(PowerAuthOperationEnd.init), path != .list {
            throw PushError(.over, "The operation is over.", provider: id, underlying: end)
        }
        throw await channel.failure(reply, of: enrollment, factors: .possession)
    }

    /// What announces an operation; nothing but its name is needed to open it.
    func announcement(
        of operation: PowerAuthOperation, at enrollment: Enrollment.ID
    ) -> Announcement {
        Announcement(
            notice(of: operation, at: enrollment), context: AnnouncedForm.operation.context)
    }

    func notice(of operation: PowerAuthOperation, at enrollment: Enrollment.ID) -> Notice {
        Notice(
            id: Challenge.ID(operation.id, of: enrollment), title: operation.formData.title,
            body: operation.formData.message, issued: operation.operationCreated,
            expiry: operation.operationExpires, proof: .fetched)
    }
}

extension Reply {
    /// Why the server refused, if it says so with a documented code.
    var errorCode: PowerAuthErrorCode? { code.flatMap(PowerAuthErrorCode.init(rawValue:)) }
}
