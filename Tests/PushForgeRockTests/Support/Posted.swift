import Foundation
import HTTPTypes
import IndependentEncodings
import PushCore
import PushTesting
import Testing

/// What the server got, read without the plugin's help.
struct Posted {
    let request: HTTPRequest
    let body: Data
    let members: JSON.Object
    let jwt: String
    let header: JSON.Object
    let claims: JSON.Object

    /// Reads a request, and checks its signature.
    init(_ exchange: RecordedExchange, key: [UInt8] = WorkedExample.secret) throws {
        request = exchange.request
        body = exchange.body
        members = try #require(JSON(parsing: exchange.body).object)
        jwt = try #require(members["jwt"]?.string)
        let token = try CompactJWS(jwt)
        #expect(Array(token.signature) == hmac(key, token.signed))
        header = try #require(token.header.object)
        claims = try #require(token.claims.object)
    }

    var url: String {
        "\(request.scheme ?? "")://\(request.authority ?? "")\(request.path ?? "")"
    }

    func field(_ name: String) throws -> String? {
        request.headerFields[try #require(HTTPField.Name(name))]
    }
}
