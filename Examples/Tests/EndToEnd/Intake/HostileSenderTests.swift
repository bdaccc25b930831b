import Foundation
import HTTPTypes
import PushCore
import Testing

@testable import PushAuthCommand

/// One `Character` of a hundred thousand marks, wherever a sender can write. To compare or to hash it takes the
/// square of that: where bytes are looked at these tests take seconds, and else hours.
@Suite(.timeLimit(.minutes(5))) struct HostileSenderTests {
    private static let marks = String(repeating: "\u{327}\u{301}", count: 50_000)

    private static let starts = ["", "Bearer ", "bearer a.b.", "application/json", "alert", "1"]

    private func request(_ path: String, _ headers: HTTPFields) -> HTTPRequest {
        HTTPRequest(
            method: .post, scheme: "https", authority: "127.0.0.1", path: path,
            headerFields: headers)
    }

    @Test(arguments: [
        HTTPField.Name.authorization, .contentType, .contentEncoding, .apnsID, .apnsTopic,
        .apnsPushType, .apnsPriority, .apnsExpiration, .apnsCollapseID,
    ])
    func `a header of any length costs what its length is`(_ name: HTTPField.Name) async throws {
        let fixture = try await IntakeFixture()
        let generic = HTTPEndpoint(secret: Secret("0123456789abcdef".utf8))
        for start in Self.starts {
            let text = start + Self.marks
            #expect(try fixture.push(to: nil, [name: text]).push?.push.message.content != [:])
            _ = fixture.fcm.reply(
                to: request("/token", [name: text]), Data(), at: IntakeFixture.now)
            _ = fixture.fcm.reply(
                to: request("/v1/projects/a/messages:send", [name: text]), Data("{}".utf8),
                at: IntakeFixture.now)
            _ = generic.step(for: request("/push", [name: text]), Data("{}".utf8))
        }
    }

    @Test func `a path of any length costs what its length is`() async throws {
        let fixture = try await IntakeFixture()
        let generic = HTTPEndpoint(secret: Secret("0123456789abcdef".utf8))
        for path in ["/", "/push", "/3/device/", "/token", "/v1/projects/", "/push?"] {
            let text = path + Self.marks
            #expect(try fixture.push(to: Self.marks).status != .ok)
            #expect(
                fixture.fcm.reply(to: request(text, [:]), Data(), at: IntakeFixture.now).status
                    != .ok)
            _ = generic.step(for: request(text, [:]), Data("{}".utf8))
        }
    }

    @Test func `a form of any length costs what its length is`() async throws {
        let fixture = try await IntakeFixture()
        let encoded = String(repeating: "%CC%A7%CC%81", count: 50_000)
        let grant = "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer"
        for marks in [Self.marks, encoded] {
            for form in [
                marks, "\(marks)=1", "grant_type=\(marks)", "\(grant)\(marks)&assertion=a.b.c",
                "\(grant)&assertion=\(marks)", "\(grant)&assertion=a.b.c\(marks)",
                "assertion\(marks)=a&\(grant)", "\(grant)&\(grant)&\(marks)",
            ] {
                #expect(fixture.token(form).status == .badRequest)
            }
        }
    }
}
