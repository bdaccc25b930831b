import Foundation
import HTTPTypes
import IndependentEncodings
import PushCore
import PushTesting
import Testing

/// An exchange with the server, read without the plugin's help.
struct Posted {
    let request: HTTPRequest
    let body: Data

    init(_ exchange: RecordedExchange) {
        request = exchange.request
        body = exchange.body
    }

    var isEnrollment: Bool {
        (try? JSON(parsing: body))?["public_key"] != nil
    }

    var url: String {
        "\(request.scheme ?? "")://\(request.authority ?? "")\(request.path ?? "")"
    }

    func field(_ name: String) throws -> String? {
        request.headerFields[try #require(HTTPField.Name(name))]
    }

    func members() throws -> JSON.Object { try #require(JSON(parsing: body).object) }

    func object(_ name: String) throws -> JSON.Object { try #require(members()[name]?.object) }

    /// The key pair that an enrollment brought.
    func key() throws -> AccountKey { try AccountKey(privateJWK: object("private_key")) }

    /// The answer of a resolve call, its signature checked.
    func answer(by key: AccountKey) throws -> (header: JSON.Object, claims: JSON.Object) {
        try Self.read(#require(members()["context"]?.string), by: key)
    }

    /// Reads a JWT that a key must have signed.
    static func read(
        _ token: String, by key: AccountKey
    ) throws -> (header: JSON.Object, claims: JSON.Object) {
        let token = try CompactJWS(token)
        let signed = String(decoding: token.signed, as: UTF8.self)
        #expect(key.accepts(Array(token.signature), over: signed))
        return (try #require(token.header.object), try #require(token.claims.object))
    }
}
