import HTTPTypes
import PushCore
import Testing

/// Whose word a success is.
struct ReplyFormTests {
    @Test(arguments: [
        nil, "", "application/json", "Application/JSON; charset=UTF-8", " application/json ;q=1",
        "application/problem+json", "application/vnd.api+JSON",
    ])
    func `JSON's media types, and none, may hold JSON`(type: String?) {
        var response = HTTPResponse(status: .ok)
        response.headerFields[.contentType] = type
        #expect(response.mayHoldJSON)
    }

    @Test(arguments: [
        "text/html", "text/html; application/json", "application/jsonp", "text/json", "json",
        "application/javascript", "application/json\u{301}",
    ])
    func `no other media type may`(type: String) {
        var response = HTTPResponse(status: .ok)
        response.headerFields[.contentType] = type
        #expect(!response.mayHoldJSON)
    }

    @Test(arguments: [200, 202, 299, 300, 199, 404, 503])
    func `a success that nobody explains is a lost reply`(status: Int) {
        let error = PushError.unexplained(status: status, "Nobody's word.")
        #expect(error.isReplyLost == (200..<300 ~= status))
        #expect(error.isReplyLost || error.code == .server(status: status))
    }
}
