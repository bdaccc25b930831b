import HTTPTypes
public import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The keys of issuers that rotate them: fetched as JWK sets when a token needs them, and kept.
///
/// Anybody can send a token with a `kid` that no set has. So each set is asked for once at a time, and
/// at most once a minute, whether the last attempt worked or not. A set is kept as long as its reply's
/// `Cache-Control` says (RFC 9111 section 5.2.2.1): a minute at least, an hour at most, five minutes if
/// it doesn't say. While no newer one can be fetched, it counts for ten more minutes. So a key that
/// its issuer withdrew verifies nothing after an hour and ten minutes.
///
/// A provider makes one and shares it among its copies. The sets are in memory alone.
public actor IssuerKeys {
    private typealias Fetch = Task<Result<JWKSet, PushError>, Never>

    /// What is known of one URL's set.
    private struct Source {
        /// When it was asked for last, and what came of it; `nil` until that is known.
        var asked: Duration
        var reply: Result<JWKSet, PushError>?
        var fetch: Fetch?

        /// The newest set that came, and when its lifetime ends.
        var set: JWKSet?
        var end = Duration.zero
    }

    /// Fetches of one URL are at least that far apart.
    private static let interval = Duration.seconds(60)

    /// How long a set counts beyond its lifetime while no newer one can be fetched.
    private static let grace = Duration.seconds(600)

    private let transport: any Transport
    private let clock: any PushClock
    private var sources: [String: Source] = [:]

    /// Creates a store of sets that knows none yet.
    ///
    /// - Parameter environment: The provider's own, such as that of
    ///   `PushEnvironment.scoped(to:)`.
    public init(in environment: PushEnvironment) {
        transport = environment.transport
        clock = environment.clock
    }

    /// Verifies a token by its issuer's keys, which are fetched if they must be.
    ///
    /// - Parameters:
    ///   - token: The token. Its `iss` and whatever else it claims are the caller's to judge.
    ///   - url: Where the issuer's JWK set is. The app's configuration or an enrollment says so, never
    ///     the token.
    /// - Returns: The token, signed by the issuer.
    /// - Throws: `PushError` with the code `untrusted` if the signature is wrong or the issuer has no
    ///   such key. If the keys can't be fetched, what the transport throws, or `interrupted` or
    ///   `server` for a reply that is no JWK set, or has no key that can be used.
    public func verified(
        _ token: UnverifiedJWT, at url: Endpoint
    ) async throws(PushError) -> VerifiedJWT {
        try token.verified(by: try await key(for: token.unverifiedHeader, at: url))
    }

    /// The key that a token claims to be signed with.
    ///
    /// - Parameters:
    ///   - header: The token's header.
    ///   - url: As for ``verified(_:at:)``.
    /// - Returns: The issuer's key of the header's `kid` and `alg`.
    /// - Throws: As ``verified(_:at:)``.
    public func key(
        for header: JWSHeader, at url: Endpoint
    ) async throws(PushError) -> JWSPublicKey {
        // What no set can have is no reason to fetch one.
        guard header.keyID != nil, JWSAlgorithm(named: header.algorithm) != nil else {
            throw PushError(.untrusted, "The JWS header has no kid, or no issuer's alg.")
        }
        if let set = set(at: url, after: .zero), let key = try? set.key(for: header) { return key }
        do throws(PushError) {
            return try await newest(at: url).key(for: header)
        } catch {
            guard error.code != .untrusted, let old = set(at: url, after: Self.grace),
                let key = try? old.key(for: header)
            else { throw error }
            return key
        }
    }

    /// Forgets all sets, as may happen at any moment.
    public func dropCaches() {
        sources = [:]
    }

    // MARK: Fetching

    /// The set that is known, if it isn't older than its lifetime and some time more.
    private func set(at url: Endpoint, after grace: Duration) -> JWKSet? {
        guard let source = sources[url.text], clock.elapsed < source.end + grace else { return nil }
        return source.set
    }

    /// The newest set that may be asked for now.
    private func newest(at url: Endpoint) async throws(PushError) -> JWKSet {
        let elapsed = clock.elapsed
        var source = sources[url.text] ?? Source(asked: elapsed)
        if let fetch = source.fetch { return try await fetch.valueWhileWanted().get() }
        if let reply = source.reply, elapsed - source.asked < Self.interval {
            return try reply.get()
        }
        let fetch = Fetch { await self.fetch(url) }
        source.asked = elapsed
        source.fetch = fetch
        sources[url.text] = source
        return try await fetch.valueWhileWanted().get()
    }

    private func fetch(_ url: Endpoint) async -> Result<JWKSet, PushError> {
        let reply = await Result { () async throws(PushError) in
            let request = url.request(
                .get, headers: [.accept: "application/jwk-set+json, application/json"])
            let (response, body) = try await transport.send(request, body: Data())
            guard response.status == .ok, response.mayHoldJSON,
                let set = try? JWKSet(parsing: body), !set.isEmpty
            else {
                throw PushError.unexplained(
                    status: response.status.code, "The reply isn't a JWK set with a usable key.")
            }
            return (set: set, lifetime: response.keyLifetime)
        }
        guard var source = sources[url.text] else { return reply.map(\.set) }
        source.fetch = nil
        source.reply = reply.map(\.set)
        if case .success(let (set, lifetime)) = reply {
            source.set = set
            source.end = source.asked + lifetime
        }
        sources[url.text] = source
        return reply.map(\.set)
    }
}

extension HTTPResponse {
    /// How long a set counts by the reply's cache rules, within the bounds of ``IssuerKeys``.
    fileprivate var keyLifetime: Duration {
        var seconds: Int64?
        for directive in (headerFields[.cacheControl] ?? "").parts(at: ",") {
            let (name, value) = directive.cut(at: "=")
            switch name.trimmed.asciiWord {
            case "no-store", "no-cache": seconds = 0
            case "max-age": seconds = min(seconds ?? .max, value?.trimmed.deltaSeconds ?? 0)
            default: break
            }
        }
        // What it spent in caches on its way.
        let age = headerFields[.age]?.trimmed.deltaSeconds ?? 0
        return .seconds(min(max((seconds ?? 300) - age, 60), 3600))
    }
}

extension StringProtocol where SubSequence == Substring {
    /// The text without the whitespace of HTTP's fields around it.
    fileprivate var trimmed: Substring {
        let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        let start = self[...].utf8.drop(while: isSpace)
        guard let last = start.lastIndex(where: { !isSpace($0) }) else { return "" }
        return Substring(start[...last])
    }
}
