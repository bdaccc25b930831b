import PushCore
import PushJOSE

/// The access tokens that were given for this device's keys. They are in memory alone, and may be
/// dropped at any moment.
///
/// A token is bound to the key that its request was proved with, so it is kept by that key's name. One
/// is asked for at a time, and a new one shortly before the old one ends.
actor AccessTokens {
    private typealias Request = Task<Result<AccessToken, PushError>, Never>

    private struct Held {
        let token: AccessToken
        /// Until when it is used, by the monotonic clock.
        let end: Duration
    }

    /// More keys than one device uses.
    private static let most = 64

    /// How long before its end a token isn't used any more; a quarter of a short life.
    private static let margin = Duration.seconds(30)

    private var tokens: [String: Held] = [:]
    private var requests: [String: Request] = [:]

    /// The token of a key.
    ///
    /// - Parameters:
    ///   - thumbprint: The key's name.
    ///   - clock: The monotonic clock.
    ///   - ask: Asks the realm for a token.
    /// - Returns: One that can be used now.
    /// - Throws: What `ask` throws.
    func token(
        for thumbprint: String, _ clock: any PushClock,
        asking ask: @escaping @Sendable () async throws(PushError) -> AccessToken
    ) async throws(PushError) -> AccessToken {
        if let held = tokens[thumbprint], clock.elapsed < held.end { return held.token }
        let request = requests[thumbprint] ?? begin(thumbprint, clock, ask)
        return try await request.valueWhileWanted().get()
    }

    private func begin(
        _ thumbprint: String, _ clock: any PushClock,
        _ ask: @escaping @Sendable () async throws(PushError) -> AccessToken
    ) -> Request {
        let start = clock.elapsed
        let request = Request {
            let result = await Result { () async throws(PushError) in try await ask() }
            self.keep(result, thumbprint, since: start)
            return result
        }
        requests[thumbprint] = request
        return request
    }

    private func keep(
        _ result: Result<AccessToken, PushError>, _ thumbprint: String, since start: Duration
    ) {
        requests[thumbprint] = nil
        // One of unknown life serves the call that asked for it.
        guard case .success(let token) = result, let lifetime = token.lifetime else { return }
        if tokens[thumbprint] == nil, tokens.count >= Self.most,
            let soonest = tokens.min(by: { $0.value.end < $1.value.end })
        {
            // What has ended, if anything has.
            tokens[soonest.key] = nil
        }
        tokens[thumbprint] = Held(
            token: token, end: start + lifetime - min(Self.margin, lifetime / 4))
    }

    /// Forgets a key's token, such as one that the realm no longer takes.
    func drop(_ thumbprint: String) { tokens[thumbprint] = nil }

    /// Forgets every token.
    func dropCaches() { tokens = [:] }
}
