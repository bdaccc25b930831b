import HTTPTypes

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Passes exchanges through, and learns the server's time from each reply.
struct TimedTransport: Transport {
    private let transport: any Transport
    private let clock: any PushClock

    init(_ transport: any Transport, clock: any PushClock) {
        self.transport = transport
        self.clock = clock
    }

    func send(
        _ request: HTTPRequest, body: Data
    ) async throws(PushError) -> (response: HTTPResponse, body: Data) {
        let sent = clock.elapsed
        let reply = try await transport.send(request, body: body)
        if let text = reply.response.headerFields[.date], let date = HTTPDate.parse(text),
            let host = try? Endpoint("\(request.scheme ?? "")://\(request.authority ?? "")").host
        {
            await clock.servers.note(date, at: host, sent: sent, received: clock.elapsed)
        }
        return reply
    }
}
