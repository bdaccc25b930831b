import Foundation
import HTTPTypes
import PushCore
import Testing

/// Logging in at the console by the one-time code that a device shows.
@Suite(.timeLimit(.minutes(3))) struct ConsoleCodeTests {
    @Test func `AM's page takes a code once, others take none`() async throws {
        try await ConsoleDevice.run { world in
            let place = "/forgerock/codes"
            let invitation = try await world.ask(
                .post, "/forgerock/invitations", #"{"user":"jane"}"#)
            let text = try #require(invitation.json["text"]?.string)
            #expect(text.hasPrefix("mfauth://totp/"))
            // Nobody has registered with it, so AM knows no device for codes.
            let early = try await world.ask(.post, place, #"{"user":"jane","code":"000000"}"#)
            #expect(early.status == 409 && early.code == "refused")
            try await world.enroll(at: "forgerock")
            let wrong = try await world.ask(.post, place, #"{"user":"jane","code":"1"}"#)
            #expect(wrong.json == ["user": "jane", "accepted": false])
            let page = try await world.post("/forgerock/jane/code", "code=1")
            #expect(page.status == 400 && page.text.contains("it is wrong, out of time"))
            let code = try await world.code()
            let body: JSON = ["user": "jane", "code": .string(code)]
            #expect(try await world.ask(.post, place, body.text).json["accepted"] == true)
            #expect(try await world.ask(.post, place, body.text).json["accepted"] == false)
            let missing = try await world.ask(.post, place, #"{"user":"jane"}"#)
            #expect(missing.status == 400 && missing.code == "wrong-member")
            let other = try await world.ask(.post, "/xignin/codes", body.text)
            #expect(other.status == 409 && other.code == "refused")
        }
    }
}
