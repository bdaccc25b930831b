import Foundation
import HTTPTypes
import PushCore
import PushPlatform

/// Whether servers can be reached and trusted, and whether their clocks agree with this one.
struct ServerChecks {
    let transport: any Transport
    let pins: ServerPins

    /// From this difference on, codes and signed times may be refused.
    static let tolerance = 60.0

    /// - Parameter server: The server; its path isn't asked for.
    /// - Returns: What was found.
    func look(at server: Endpoint) async -> [DoctorCheck] {
        let name = server.authority
        do throws(PushError) {
            let sent = Date()
            let reply = try await reply(of: server)
            return [
                .ok("server", "\(name) is reached\(trust(in: server))."),
                Self.clock(of: name, reply, sent: sent, received: Date()),
            ]
        } catch {
            return [Self.check(error, of: server)]
        }
    }

    private func trust(in server: Endpoint) -> String {
        guard server.isSecure else { return ", without TLS" }
        let isPinned = (try? pins.pins(for: server.host))?.isEmpty == false
        return isPinned
            ? ", its certificate holds, and a key of it is pinned" : ", and its certificate holds"
    }

    private func reply(of server: Endpoint) async throws(PushError) -> HTTPResponse {
        var request = server.request(.head)
        request.path = "/"
        return try await transport.send(request, body: Data()).response
    }

    private static func check(_ error: PushError, of server: Endpoint) -> DoctorCheck {
        let name = server.authority
        switch error.code {
        case .untrustedServer:
            return .problem(
                "server", error.reason, Failure(error).advice ?? "Ask who runs the server.")
        case .pinMismatch:
            return .problem(
                "server", error.reason,
                "Don't go on until you know why: somebody may stand between. `push-lab pin \(name)` "
                    + "prints what it shows.")
        case .insecureRequest:
            return .problem(
                "server", "\(name) is to be reached without TLS.",
                "For a server on this machine: --plain-http.")
        default:
            return .warning(
                "server", error.reason,
                "If it listens at another port, name it: --server https://HOST:PORT.")
        }
    }

    private static func clock(
        of name: String, _ reply: HTTPResponse, sent: Date, received: Date
    ) -> DoctorCheck {
        guard let date = reply.date(near: received) else {
            return .warning(
                "clock", "\(name) doesn't say its time.",
                "Compare this machine's clock with another: `timedatectl`.")
        }
        // It was written between the two, and cut off to the second.
        let late = date.timeIntervalSince(received)
        let early = sent.timeIntervalSince(date) - 1
        let difference = max(late, early, 0)
        guard difference > tolerance else {
            return .ok("clock", "This machine's clock agrees with that of \(name).")
        }
        let word = late > early ? "behind" : "ahead of"
        return .warning(
            "clock",
            "This machine's clock is \(Int(difference)) seconds \(word) that of \(name).",
            "Set it, such as by `timedatectl set-ntp true`: certificates, signed challenges and codes "
                + "are refused where the time is wrong.")
    }
}
