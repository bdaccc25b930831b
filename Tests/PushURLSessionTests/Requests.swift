import HTTPTypes
import PushCore
import Testing

extension HTTPRequest {
    static func get(_ server: LoopbackServer, path: String = "/") -> HTTPRequest {
        HTTPRequest(method: .get, scheme: "http", authority: server.authority, path: path)
    }

    static func post(_ server: LoopbackServer, path: String = "/") -> HTTPRequest {
        HTTPRequest(method: .post, scheme: "http", authority: server.authority, path: path)
    }
}

extension HTTPField.Name {
    /// A name that is known to be a token.
    static func custom(_ name: String) -> HTTPField.Name {
        HTTPField.Name(name) ?? .accept
    }
}

/// The error of an exchange that must fail.
func failure<Value>(
    _ body: nonisolated(nonsending) () async throws(PushError) -> Value,
    at location: SourceLocation = #_sourceLocation
) async throws -> PushError {
    do throws(PushError) {
        _ = try await body()
    } catch {
        return error
    }
    Issue.record("It succeeded.", sourceLocation: location)
    throw Unfailing()
}

struct Unfailing: Error {}
