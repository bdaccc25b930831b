import Foundation
import HTTPTypes
import LocalServer
import PushCore
import PushPlatform

/// What a server of a test speaks.
enum Wire: String, CaseIterable, Sendable {
    case plain, secure, modern

    static let encrypted: [Wire] = [.secure, .modern]
}

/// A server, and a transport that trusts it.
struct TransportSite {
    let server: LocalServer
    let transport: CurlTransport
    private let authority: LocalAuthority

    /// Runs a test against a new server and ends it after.
    static func run<Value>(
        _ wire: Wire, timeout: Duration = .seconds(30), maximumBodySize: Int = 1 << 20,
        handler: @escaping LocalServer.Handler,
        test: (TransportSite) async throws -> Value
    ) async throws -> Value {
        let authority = try LocalAuthority()
        defer { authority.removeFile() }
        let server = try await LocalServer.start(
            wire.served(with: try authority.identity()), handler: handler)
        let transport = CurlTransport(
            .init(
                plainHTTP: .loopbackOnly,
                certificateAuthorities: .file(authority.certificateFile.path),
                timeout: timeout, maximumBodySize: maximumBodySize))
        let site = TransportSite(server: server, transport: transport, authority: authority)
        do {
            let value = try await test(site)
            await server.stop()
            return value
        } catch {
            await server.stop()
            throw error
        }
    }

    func request(_ method: HTTPRequest.Method, _ path: String = "/") -> HTTPRequest {
        HTTPRequest(
            method: method, scheme: server.scheme, authority: server.authority, path: path)
    }
}

extension Wire {
    func served(with identity: LocalIdentity) -> LocalServer.Wire {
        switch self {
        case .plain: .plain
        case .secure: .secure(identity)
        case .modern: .modern(identity)
        }
    }
}

/// The error of an exchange that must fail; nil if it succeeds.
func failure<Value>(
    _ body: nonisolated(nonsending) () async throws(PushError) -> Value
) async -> PushError? {
    do throws(PushError) {
        _ = try await body()
        return nil
    } catch {
        return error
    }
}

extension HTTPField.Name {
    /// A name that is known to be a token.
    static func custom(_ name: String) -> HTTPField.Name {
        HTTPField.Name(name) ?? .accept
    }
}

/// Something that happens once, and can be waited for.
struct Event: Sendable {
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() {
        (stream, continuation) = AsyncStream.makeStream()
    }

    func happen() {
        continuation.finish()
    }

    func wait() async {
        for await _ in stream {}
    }
}
