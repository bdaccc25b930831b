import Foundation
import HTTPTypes
import PushCore

extension Acme: Inbox {
    func messages(of enrollment: Enrollment.ID) async throws(PushError) -> [InboxMessage] {
        let reply = try await post("/inbox", ["account": .string(enrollment.name)])
        return (reply["messages"]?.array ?? []).compactMap { message in
            message["id"]?.string.map {
                InboxMessage(
                    id: $0, subject: message["subject"]?.string ?? "",
                    isRead: message["read"]?.bool ?? false)
            }
        }
    }
}

/// What Acme sends.
extension Acme {
    @discardableResult
    func post(_ path: String, _ body: JSON) async throws(PushError) -> JSON {
        let (status, reply) = try await exchange(path, body)
        guard status == 200 else { throw PushError(.server(status: status), "Acme refused.") }
        return reply
    }

    func exchange(
        _ path: String, _ body: JSON
    ) async throws(PushError) -> (status: Int, body: JSON) {
        let request = try Endpoint("https://\(host)\(path)").request(.post)
        var members = body.object ?? [:]
        if options.tellsTime {
            let clock = environment.clock
            let known = await clock.serverTime.now(
                at: ServerID(host: host, of: id), elapsed: clock.elapsed)?.lowerBound
            let seconds = (known ?? clock.now).timeIntervalSince1970
            members["time"] = .integer(Int64(seconds))
        }
        let reply = try await environment.transport.send(
            request, body: JSON.object(members).data)
        let status = reply.response.status.code
        guard status == 200 else {
            // A stranger's reply is read as one that says nothing.
            return (status, (try? JSON(parsing: reply.body)) ?? [:])
        }
        return (
            status, reply.body.isEmpty ? [:] : try JSON(parsing: reply.body)
        )
    }
}
