import HTTPTypes
import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The way to the server: the only place that does HTTP.
///
/// Whatever is sealed, signed or proved by a token is made here, for one request, and never again.
/// The caller holds the enrollment's turn.
struct PowerAuthChannel: Sendable {
    let provider: PowerAuth

    var configuration: PowerAuthConfiguration { provider.configuration }
    var environment: Environment { provider.environment }
    var vault: Vault { provider.vault }

    /// Calls what needs no proof.
    ///
    /// - Parameters:
    ///   - path: The path, such as `/pa/v3/status`.
    ///   - requestObject: What is asked; `nil` sends `{}`.
    /// - Returns: The response object; `null` if there is none.
    func plain(_ path: String, _ requestObject: JSON? = nil) async throws(PushError) -> JSON {
        let body: JSON = requestObject.map { ["requestObject": $0] } ?? [:]
        return try await post(path, body.data).value
    }

    /// Posts bytes as they are.
    ///
    /// - Parameters:
    ///   - path: The path.
    ///   - body: The bytes.
    ///   - proof: The header field that proves something of them, and its value.
    /// - Returns: The reply, whatever its status, below 500 and other than 429.
    func post(
        _ path: String, _ body: Data, proof: (header: String, value: String)? = nil
    ) async throws(PushError) -> HTTPReply {
        var headers: HTTPFields = [
            .contentType: "application/json", .accept: "application/json",
        ]
        headers[.acceptLanguage] = configuration.acceptLanguage
        if let proof, let name = HTTPField.Name(proof.header) { headers[name] = proof.value }
        let (response, data) = try await environment.transport.send(
            try endpoint(path).request(.post, headers: headers), body: body)
        return try HTTPReply(status: response.status.code, body: data)
    }

    /// Only the configured servers are ever asked: no reply names another.
    private func endpoint(_ path: String) throws(PushError) -> Endpoint {
        let base =
            path.hasPrefix("/api/") ? configuration.operationServer : configuration.enrollmentServer
        return try Endpoint(base.text.trimmingSlashes + path)
    }
}

extension String {
    fileprivate var trimmingSlashes: Substring {
        var text = self[...]
        while text.utf8.last == UInt8(ascii: "/") { text = text.dropLast() }
        return text
    }
}
