import Foundation
import HTTPTypes
import LocalServer
import PushCore

/// Serves `/metrics` to a scraper. Nothing secret is there, so it asks for no credential.
struct MetricsServer {
    let server: IntakeServer
    let meter: Meter

    /// What is asked of vendors.
    let questions: VendorQuestions

    /// - Parameters:
    ///   - intakes: Whose waiting pushes are counted.
    ///   - unfinished: What isn't finished.
    /// - Returns: The server, which listens.
    /// - Throws: `Failure`, such as for a port that somebody else uses.
    func start(
        beside intakes: [any Intake],
        unfinished: @escaping @Sendable () async -> [Metric: Double]
    ) async throws(Failure) -> LocalServer {
        try await server.start { [meter, questions, connections = server.connections] _ in
            { _ in
                { request, _ in
                    await Self.reply(to: request) {
                        var gauges = await unfinished()
                        var waiting = 0
                        for intake in intakes { waiting += await intake.waiting() }
                        gauges[.queue] = Double(waiting)
                        gauges[.vendorsHanging] = Double(await questions.hanging.count)
                        if let connections { gauges.merge(connections.gauges) { $1 } }
                        return meter.text(gauges)
                    }
                }
            }
        }
    }

    private static func reply(
        to request: HTTPRequest, _ text: () async -> String
    ) async -> (response: HTTPResponse, body: Data) {
        guard request.plainPath == "/metrics" else {
            return HTTPEndpoint.refusal(.notFound, "the path is /metrics").response
        }
        guard [.get, .head].contains(request.method) else {
            var reply = HTTPEndpoint.refusal(.methodNotAllowed, "the method is GET")
            reply.headers[.allow] = "GET, HEAD"
            return reply.response
        }
        return (
            HTTPResponse(status: .ok, headerFields: [.contentType: MetricsText.mediaType]),
            Data(await text().utf8)
        )
    }

    /// Nothing if the store can't tell: that is counted, and no number is better than a wrong one.
    static func unfinished(of authenticator: PushAuthenticator) async -> [Metric: Double] {
        guard let records = try? await authenticator.unfinishedRecords() else { return [:] }
        let oldest = records.compactMap(\.notice.issued).min()
        // A vendor's clock may be ahead of this one.
        let age = oldest.map { max(0, Date().timeIntervalSince($0)) } ?? 0
        return [.unfinished: Double(records.count), .oldestUnfinished: age]
    }
}

extension ConnectionGate {
    fileprivate var gauges: [Metric: Double] {
        let load = load
        return [
            .connections: Double(load.open), .connectionsUnproved: Double(load.unproved),
            .connectionsLimit: Double(limits.proved + limits.unproved),
            .connectionsUnprovedLimit: Double(limits.unproved),
            .connectionsClosed: Double(load.closedForOthers),
        ]
    }
}
