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
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        try #require(parts.count == 3)
        let decodedParts = try parts.map { try data(base64url: $0) }
        #expect(key.accepts(Array(decodedParts[2]), over: "\(parts[0]).\(parts[1])"))
        return (
            try #require(JSON(parsing: decodedParts[0]).object),
            try #require(JSON(parsing: decodedParts[1]).object)
        )
    }
}
