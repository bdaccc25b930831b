import Crypto
import HTTPTypes
import PushCore
import PushJOSE

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A POST to AM's push service.
struct AMRequest {
    private let request: HTTPRequest
    private let body: Data

    init(_ endpoint: Endpoint, cookie: String?, body: Data) {
        var headers: HTTPFields = [
            .contentType: "application/json", .accept: "application/json",
            .acceptAPIVersion: "resource=1.0, protocol=1.0",
        ]
        headers[.cookie] = cookie
        request = endpoint.request(.post, headers: headers)
        self.body = body
    }

    /// Sends it.
    ///
    /// - Throws: `PushError`, the transport's, and `interrupted` for a success in another form than AM's.
    func reply(over transport: any Transport) async throws(PushError) -> AMReply {
        let (response, body) = try await transport.send(request, body: body)
        return try AMReply(response, body)
    }
}

extension HTTPField.Name {
    fileprivate static let acceptAPIVersion = HTTPField.Name("Accept-API-Version") ?? .accept
}

/// The JWTs this device sends: HS256 with the shared secret.
enum AMToken {
    static func signed(_ claims: JSON.Object, with secret: Secret) throws(PushError) -> String {
        try HS256Key(secret).compactJWS(
            of: JSON.object(claims).data, header: ["typ": "JWT", "alg": "HS256"])
    }
}

/// The proof that this device holds the shared secret.
enum ChallengeResponse {
    /// HMAC-SHA256 of the challenge's bytes, in padded standard Base64: AM compares it as text.
    static func text(
        for challenge: some ContiguousBytes, with secret: Secret
    ) -> String {
        challenge.withUnsafeBytes { bytes in
            let code = HMAC<SHA256>.authenticationCode(
                for: bytes, using: secret.withBytes { SymmetricKey(data: $0) })
            return Base64.encode(Data(code))
        }
    }
}

/// What came back from AM's push service, or from whatever stands before it.
struct AMReply: Sendable {
    /// A no that AM says in a body of its own. A gateway's page under the same status isn't one.
    enum Refusal: Sendable {
        /// Anything the device got wrong, and whatever is over: AM tells nothing apart.
        case badRequest
        /// The realm has no push service.
        case noPushService
    }

    let status: Int

    /// AM's word; `nil` if it's success, or nobody can tell whose word it is.
    let refusal: Refusal?

    /// Whether the body is a JSON object, as each of AM's is.
    let isObject: Bool

    /// Whether AM did what it was asked: no other status says so.
    var isSuccess: Bool { status == 200 }

    /// Reads a reply. AM's success is 200 with an empty object, which says no more; one without a body
    /// passes for it.
    ///
    /// - Throws: `PushError` with the code `interrupted` for any other 2xx.
    init(_ response: HTTPResponse, _ body: Data) throws(PushError) {
        let members = try? JSON(parsing: body).object
        status = response.status.code
        isObject = members != nil
        refusal = members.flatMap { [status] in Self.refusal(status, $0) }
        let hasForm = response.mayHoldJSON && (body.isEmpty || isObject)
        guard status == 200 && hasForm || !(200..<300 ~= status) else {
            throw .unexplained(status: status, "A reply \(status), and not in the form of AM's.")
        }
    }

    private static func refusal(_ status: Int, _ members: JSON.Object) -> Refusal? {
        guard members["code"]?.integer == Int64(status) else { return nil }
        switch (status, members["message"]?.string) {
        case (400, "Bad request.") where members["reason"] == "Bad Request": return .badRequest
        case (404, "Cannot find Push Notification Service."): return .noPushService
        default: return nil
        }
    }
}

/// A load-balancer cookie, `name=value`.
enum Cookie {
    /// Whether it can stand in a header: printable ASCII and nothing else.
    static func isSafe(_ text: some Sequence<UInt8>) -> Bool {
        text.allSatisfy { 0x20...0x7E ~= $0 }
    }
}
