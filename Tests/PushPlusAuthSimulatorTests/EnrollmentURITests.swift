import Foundation
import PushCore
import PushPlusAuthSimulator
import PushTesting
import Testing

struct EnrollmentURITests {
    @Test func `an invitation has the documented parts in the documented order`() async throws {
        let uri = try await Bench().tenant.enrollmentURI(for: "ada@example.com")
        #expect(uri.hasPrefix("otpauth://push/Acme%20Bank:ada%40example.com?issuer=Acme%20Bank&"))
        let query = try #require(URLComponents(string: uri)?.queryItems)
        #expect(
            query.map(\.name) == [
                "issuer", "secret", "algorithm", "digits", "period", "context_token",
                "enrollment_url",
            ])
        #expect(
            query.dropFirst().prefix(4).map(\.value) == [
                "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZA", "SHA256", "6", "30",
            ])
        #expect(query.last?.value == "https://tenant.plusauth.example/push-authenticator/enroll")
        #expect(Data(base64Encoded: query[5].value ?? "")?.count == 20)
    }

    @Test func `whatever is in a name or a token survives the way through a URI`() async throws {
        let bench = Bench {
            $0.application = "A&B: 100% +?#/é"
            $0.random = SeededRandom(seed: 5)
        }
        var hasOddToken = false
        for _ in 0..<8 {
            let uri = try await bench.tenant.enrollmentURI(for: "a+b:c/d@e f")
            #expect(!uri.contains("+") && uri.utf8.allSatisfy { 0x21...0x7E ~= $0 })
            let parts = try #require(URLComponents(string: uri))
            #expect(parts.path == "/A&B: 100% +?#/é:a+b:c/d@e f")
            #expect(parts.queryItems?.first?.value == "A&B: 100% +?#/é")
            let token = try #require(parts.queryItems?.first { $0.name == "context_token" }?.value)
            hasOddToken = hasOddToken || token.contains("+") || token.contains("/")
            #expect(try await bench.enroll(.init(), token).status == 422)
        }
        #expect(hasOddToken)
    }

    @Test func `each invitation has a token and a secret of its own`() async throws {
        let bench = Bench { $0.random = SeededRandom(seed: 1) }
        var seen: Set<String> = []
        for _ in 0..<4 {
            let uri = try await bench.tenant.enrollmentURI(for: "ada")
            for item in try #require(URLComponents(string: uri)?.queryItems)
            where ["secret", "context_token"].contains(item.name) {
                #expect(seen.insert(item.value ?? "").inserted)
            }
        }
    }

    @Test func `an invitation can leave the code's parameters unsaid, or name others`()
        async throws
    {
        let unsaid = try await Bench { $0.codes.isUnsaid = true }.tenant.enrollmentURI(for: "ada")
        #expect(!unsaid.contains("algorithm") && !unsaid.contains("digits"))
        let other = Bench {
            $0.codes.algorithm = .sha512
            $0.codes.digits = 8
            $0.codes.period = 60
        }
        let uri = try await other.tenant.enrollmentURI(for: "ada")
        #expect(uri.contains("&algorithm=SHA512&digits=8&period=60&"))
        await #expect(throws: PushError.self) {
            try await Bench { $0.codes.digits = 5 }.tenant.enrollmentURI(for: "ada")
        }
    }

    @Test func `after a move invitations and pushes lead to the new origin`() async throws {
        let bench = Bench()
        try await bench.enrolled()
        try await bench.tenant.move(to: "http://127.0.0.1:8080")
        let uri = try await bench.tenant.enrollmentURI(for: "ada")
        #expect(uri.contains("enrollment_url=http%3A%2F%2F127.0.0.1%3A8080%2Fpush-authenticator"))
        let push = try await bench.login().push
        #expect(
            push.claims["resolve_url"] == "http://127.0.0.1:8080/push-authenticator/resolve")
        for origin in ["https://a.example/", "a.example", "ftp://a.example", ""] {
            await #expect(throws: PushError.self) { try await bench.tenant.move(to: origin) }
        }
    }
}
