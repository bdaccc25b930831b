package import Foundation
package import HTTPTypes
package import PushCore

/// A network that loses replies: the server has done what it was asked. Which ones is no matter of chance:
/// of each thing that goes wrong every so-manieth request has its turn.
package actor LossyTransport: Transport {
    /// How often what goes wrong, each as a share of the requests that may be lost.
    package struct Shares: Sendable {
        /// The connection breaks after the server acted.
        package var dropped = 0.0
        /// The reply comes too late.
        package var late = 0.0
        /// A server in between says 503, after the server acted.
        package var replaced = 0.0
        /// A server in between says 500, and the server was never asked.
        package var refused = 0.0

        package init(
            dropped: Double = 0, late: Double = 0, replaced: Double = 0, refused: Double = 0
        ) {
            self.dropped = dropped
            self.late = late
            self.replaced = replaced
            self.refused = refused
        }
    }

    private let base: any Transport
    private let shares: Shares
    private let isLossy: @Sendable (HTTPRequest) -> Bool
    /// How many replies were lost, one way or another.
    package private(set) var losses = 0

    private enum Fate: CaseIterable { case dropped, replaced, late, refused }

    /// How much of each thing's next turn has come.
    private var turns: [Fate: Double] = [:]

    /// Creates a network before another.
    ///
    /// - Parameters:
    ///   - base: The network that loses nothing.
    ///   - shares: How often what goes wrong.
    ///   - isLossy: Which requests' replies may be lost.
    package init(
        _ base: any Transport, _ shares: Shares,
        where isLossy: @escaping @Sendable (HTTPRequest) -> Bool
    ) {
        self.base = base
        self.shares = shares
        self.isLossy = isLossy
    }

    package func send(
        _ request: HTTPRequest, body: Data
    ) async throws(PushError) -> (response: HTTPResponse, body: Data) {
        guard isLossy(request) else { return try await base.send(request, body: body) }
        let fate = nextFate()
        if fate == .refused {
            losses += 1
            return (HTTPResponse(status: .internalServerError), Data())
        }
        let reply = try await base.send(request, body: body)
        guard let fate else { return reply }
        losses += 1
        switch fate {
        case .dropped: throw PushError(.interrupted, "The reply was dropped.")
        case .late:
            // Until whoever waits gives up.
            try? await Task.sleep(for: .seconds(60))
            throw PushError(.interrupted, "The reply was late.")
        case .replaced, .refused:
            return (HTTPResponse(status: .serviceUnavailable), Data("<html>".utf8))
        }
    }

    private func nextFate() -> Fate? {
        var next: Fate?
        for fate in Fate.allCases {
            turns[fate, default: 0.5] += share(of: fate)
            guard next == nil, turns[fate, default: 0] >= 1 else { continue }
            turns[fate, default: 0] -= 1
            next = fate
        }
        return next
    }

    private func share(of fate: Fate) -> Double {
        switch fate {
        case .dropped: shares.dropped
        case .replaced: shares.replaced
        case .late: shares.late
        case .refused: shares.refused
        }
    }
}
