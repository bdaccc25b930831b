import PushCore
import Testing

@testable import PushJOSE

@Suite struct UsualHeaderTests {
    private func header(in json: String, depth: Int = 32) -> JWSHeader? {
        let text = Base64.encode(Array(json.utf8), as: .url)
        return Array(text.utf8).withUnsafeBytes {
            UsualHeaders.header(in: $0, JSON.Limits(depth: depth))
        }
    }

    @Test(arguments: [
        #"{"typ":"JWT","alg":"HS256"}"#, #"{"alg":"HS256","typ":"JWT"}"#, #"{"alg":"HS256"}"#,
        #"{"alg":"ES256"}"#,
    ])
    func `a usual header is what reading it gives`(json: String) throws {
        let members = try #require(try JSON(parsing: json).object)
        #expect(try header(in: json) == JWSHeader(members))
        #expect(header(in: json, depth: 0) == nil)
    }

    @Test(arguments: [
        #"{"typ":"JWT","alg":"HS512"}"#, #"{"typ":"JWT","alg":"none"}"#,
        #"{"typ":"JWT","alg":"HS256" }"#, #"{"typ":"JWT","alg":"HS256","crit":[]}"#,
        #"{"alg":"HS256","alg":"HS256"}"#, "",
    ])
    func `a header of other bytes is read`(json: String) {
        #expect(header(in: json) == nil)
    }
}
