package import HTTPTypes
package import PushCore

extension HTTPRequest {
    package static func get(_ server: LoopbackServer, path: String = "/") -> HTTPRequest {
        HTTPRequest(method: .get, scheme: "http", authority: server.authority, path: path)
    }

    package static func post(_ server: LoopbackServer, path: String = "/") -> HTTPRequest {
        HTTPRequest(method: .post, scheme: "http", authority: server.authority, path: path)
    }
}

extension HTTPField.Name {
    /// A name that is known to be a token.
    package static func custom(_ name: String) -> HTTPField.Name {
        HTTPField.Name(name) ?? .accept
    }
}

/// The error of an exchange that must fail.
package func failure<Value>(
    _ body: nonisolated(nonsending) () async throws(PushError) -> Value
) async throws -> PushError {
    do throws(PushError) {
        _ = try await body()
    } catch {
        return error
    }
    throw Unfailing()
}

/// An exchange succeeded that must fail.
package struct Unfailing: Error {
    package init() {}
}
