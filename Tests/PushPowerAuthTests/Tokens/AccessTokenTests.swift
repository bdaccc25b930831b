import Foundation
import PushCore
import Testing

@testable import PushPowerAuth

struct AccessTokenTests {
    private static let id = "d6561669-34d6-4fee-8913-89477687a5cb"
    private let nonce = [UInt8](0..<16)
    private let now = Date(timeIntervalSince1970: 1_691_762_307.384)

    private func token(
        id: String = Self.id, secret: String = "VqAXEhziiT27lxoqREjtcQ=="
    ) throws -> AccessToken {
        try AccessToken(id: id, secret: Secret(Wire.decode(secret)))
    }

    /// The digests were computed by two independent programs; the vendor publishes none.
    @Test(arguments: [
        (PowerAuthVersion.v3_1, "N7Wd+9ncyGZ+xpies8ZqGKiDFoAZ2dYpKW1SX0+ETOY="),
        (.v3_2, "b/qtubpztotNp49ihJbUp/Hhaq2T6THUtj15+PyddQU="),
        (.v3_3, "LGZGKzYNDLLHcjwCerk4ASQj12Ovj5Kj6vnvc0a6VLA="),
    ])
    func `a header carries the digest of its version, and what the digest covers`(
        version: PowerAuthVersion, digest: String
    ) throws {
        #expect(AccessToken.headerName == "X-PowerAuth-Token")
        #expect(
            try token().header(version: version, nonce: nonce, timestamp: now)
                == "PowerAuth version=\"\(version.rawValue)\", token_id=\"\(Self.id)\", "
                + "token_digest=\"\(digest)\", nonce=\"AAECAwQFBgcICQoLDA0ODw==\", "
                + "timestamp=\"1691762307384\"")
    }

    @Test func `the digest follows from secret, nonce and time`() throws {
        func digest(_ token: AccessToken, _ nonce: [UInt8], _ now: Date) throws -> Substring {
            let parts = token.header(version: .v3_3, nonce: nonce, timestamp: now).split(
                separator: "\"")
            return try #require(parts.count > 5 ? parts[5] : nil)
        }
        let digests = try [
            digest(token(), nonce, now), digest(token(), nonce.reversed(), now),
            digest(token(), nonce, now + 0.001),
            digest(token(secret: "VqAXEhziiT27lxoqREjtcA=="), nonce, now),
        ]
        #expect(Set(digests).count == 4)
        #expect(try digest(token(id: "other"), nonce, now) == digests[0])
    }

    @Test func `the reply that brings a token is read`() throws {
        let reply = Secret(
            #"{"tokenId":"D6561669","tokenSecret":"VqAXEhziiT27lxoqREjtcQ==","more":null}"#.utf8)
        let token = try AccessToken(reading: reply)
        #expect(token.id == "D6561669")
        #expect(token.secret.withBytes { Wire.base64($0) } == "VqAXEhziiT27lxoqREjtcQ==")
    }

    @Test(arguments: [
        "", "{}", "[]", #"{"tokenId":"a"}"#, #"{"tokenSecret":"VqAXEhziiT27lxoqREjtcQ=="}"#,
        #"{"tokenId":1,"tokenSecret":"VqAXEhziiT27lxoqREjtcQ=="}"#,
        #"{"tokenId":"","tokenSecret":"VqAXEhziiT27lxoqREjtcQ=="}"#,
        #"{"tokenId":"a","tokenSecret":""}"#, #"{"tokenId":"a","tokenSecret":"VqAX"}"#,
        #"{"tokenId":"a","tokenSecret":"VqAXEhziiT27lxoqREjtcQ"}"#,
        #"{"tokenId":"a","tokenSecret":"VqAXEhziiT27lxoqREjtcR=="}"#,
        #"{"tokenId":"a","tokenSecret":"VqAXEhziiT27lxoqREjtcQAA"}"#,
        #"{"tokenId":"a","tokenId":"a","tokenSecret":"VqAXEhziiT27lxoqREjtcQ=="}"#,
    ])
    func `a reply that brings no usable token is refused`(reply: String) {
        #expect(
            refusal { () throws(PushError) in try AccessToken(reading: Secret(reply.utf8)) }
                == .malformed)
    }

    @Test(arguments: ["", "a\"b", "a\\b", "a b", "a\r\nX-Evil: 1", "ä", "a\u{7F}", "a\u{0}"])
    func `an identifier that could write other parts of the header is refused`(id: String) {
        let secret = Secret([UInt8](repeating: 1, count: 16))
        #expect(
            refusal { () throws(PushError) in try AccessToken(id: id, secret: secret) }
                == .malformed)
    }
}
