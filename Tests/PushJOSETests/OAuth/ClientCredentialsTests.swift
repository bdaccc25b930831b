import Foundation
import HTTPTypes
import PushCore
import PushJOSE
import Testing

struct ClientCredentialsTests {
    private let endpoint: Endpoint

    init() throws {
        endpoint = try Endpoint("https://server.example/token?realm=a")
    }

    @Test func `a client names itself as in RFC 6749 section 4_4_2`() {
        let client = ClientCredentials(
            id: "s6BhdRkqt3", secret: Secret(copying: "gX1fBat3bV"))
        let (request, body) = client.tokenRequest(to: endpoint)
        #expect(request.method == .post && request.path == "/token?realm=a")
        #expect(request.headerFields[.authorization] == "Basic czZCaGRSa3F0MzpnWDFmQmF0M2JW")
        #expect(request.headerFields[.contentType] == "application/x-www-form-urlencoded")
        #expect(request.headerFields[.accept] == "application/json")
        #expect(String(decoding: body, as: UTF8.self) == "grant_type=client_credentials")
    }

    @Test func `what would part the two otherwise is encoded first`() throws {
        let client = ClientCredentials(id: "a:b c", secret: Secret(copying: "ü%+&:="))
        let (header, _) = client.tokenRequest(to: endpoint)
        let text = try #require(header.headerFields[.authorization])
        let pair = try Base64.data(from: text.dropFirst("Basic ".count))
        #expect(String(decoding: pair, as: UTF8.self) == "a%3Ab%20c:%C3%BC%25%2B%26%3A%3D")
        let (form, body) = client.tokenRequest(to: endpoint, in: .form)
        #expect(form.headerFields[.authorization] == nil)
        #expect(
            String(decoding: body, as: UTF8.self)
                == "grant_type=client_credentials&client_id=a%3Ab%20c"
                + "&client_secret=%C3%BC%25%2B%26%3A%3D")
    }

    @Test func `a secret isn't printed`() {
        let client = ClientCredentials(id: "a", secret: Secret(copying: "gX1fBat3bV"))
        var text = "\(client)"
        dump(client, to: &text)
        #expect(!text.contains("gX1f"))
    }
}
