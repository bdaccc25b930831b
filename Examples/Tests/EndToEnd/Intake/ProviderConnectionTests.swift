import Foundation
import HTTPTypes
import PushCore
import Testing

@testable import PushAuthCommand

struct ProviderConnectionTests {
    private let topic = "com.example.pushauth"

    // MARK: Certificates

    @Test func `with a certificate, neither a token nor a topic is needed`() async throws {
        let fixture = try await IntakeFixture()
        let reply = try fixture.push(
            to: nil, [.authorization: nil, .apnsTopic: nil], certificate: .trusted(topic: topic))
        #expect(reply.status == .ok)
        #expect(reply.push != nil)
    }

    @Test func `with a certificate, tokens aren't looked at`() async throws {
        let fixture = try await IntakeFixture()
        var provider = ProviderConnection()
        provider.certificate = .trusted(topic: topic)
        var headers: HTTPFields = [.authorization: "bearer x"]
        headers.append(HTTPField(name: .authorization, value: "bearer y"))
        #expect(fixture.push(with: headers, over: &provider).status == .ok)
    }

    @Test(arguments: ["com.example.other", "com.example.pushauth.voip", "com.example"])
    func `a certificate is for its topic alone`(_ other: String) async throws {
        let fixture = try await IntakeFixture()
        let foreign = try fixture.push(
            to: nil, [.apnsTopic: other], certificate: .trusted(topic: topic))
        #expect(foreign.body?["reason"] == "TopicDisallowed")
        #expect(foreign.status == .badRequest)
        // The other way round: the device isn't of the certificate's app.
        for header in [nil, other] {
            let reply = try fixture.push(
                to: nil, [.apnsTopic: header], certificate: .trusted(topic: other))
            #expect(reply.body?["reason"] == "DeviceTokenNotForTopic")
            #expect(reply.push == nil)
        }
    }

    @Test func `an empty topic is none, whatever the certificate's`() async throws {
        let reply = try await IntakeFixture().push(
            to: nil, [.apnsTopic: ""], certificate: .trusted(topic: topic))
        #expect(reply.body?["reason"] == "MissingTopic")
    }

    @Test func `a good token doesn't make up for a bad certificate`() async throws {
        let reply = try await IntakeFixture().push(certificate: .untrusted)
        #expect(reply.body?["reason"] == "BadCertificate")
        #expect(reply.status == .forbidden)
        #expect(reply.push == nil)
    }

    // MARK: Tokens

    /// What tokens of certain ages come to, pushed in this order over one connection.
    private func reasons(_ ages: [Int64], at now: Date = IntakeFixture.now) async throws -> [String]
    {
        let fixture = try await IntakeFixture()
        var provider = ProviderConnection()
        return try ages.map { age in
            let headers: HTTPFields = [
                .authorization: "bearer \(try fixture.providerToken(age: age))",
                .apnsTopic: topic,
            ]
            let reply = fixture.push(with: headers, over: &provider, at: now)
            return reply.body?["reason"]?.string ?? "\(reply.status.code)"
        }
    }

    private static let tooMany = "TooManyProviderTokenUpdates"

    @Test func `tokens that are twenty minutes apart are taken`() async throws {
        #expect(try await reasons([3600, 2400, 1200, 0]) == ["200", "200", "200", "200"])
        #expect(try await reasons([0, 1200]) == ["200", "200"])
    }

    @Test(arguments: [Int64(0), 1, 1199])
    func `tokens that are less than twenty minutes apart are too many`(
        _ distance: Int64
    ) async throws {
        #expect(try await reasons([1300, 1300 - distance]) == ["200", Self.tooMany])
        #expect(try await reasons([1300, 1300 + distance]) == ["200", Self.tooMany])
    }

    @Test func `a token that was refused doesn't count`() async throws {
        // The second is too close to the first; the third to the second alone.
        #expect(try await reasons([1200, 100, 0]) == ["200", Self.tooMany, "200"])
        // What isn't a token of this provider is no update.
        #expect(try await reasons([3601, 3000]) == ["ExpiredProviderToken", "200"])
    }

    @Test func `a token may be used again, after a newer one as well`() async throws {
        let fixture = try await IntakeFixture()
        var provider = ProviderConnection()
        let tokens = try [1300, 0].map { try fixture.providerToken(age: $0) }
        for token in [tokens[0], tokens[0], tokens[1], tokens[0], tokens[1]] {
            let reply = fixture.push(
                with: [.authorization: "bearer \(token)", .apnsTopic: topic], over: &provider)
            #expect(reply.status == .ok)
        }
    }

    @Test func `an update counts even if its push is refused for another reason`() async throws {
        let fixture = try await IntakeFixture()
        var provider = ProviderConnection()
        let replies = try [nil, topic].map { topic -> IntakeReply in
            var headers: HTTPFields = [.authorization: "bearer \(try fixture.providerToken())"]
            headers[.apnsTopic] = topic
            return fixture.push(with: headers, over: &provider)
        }
        #expect(replies.map { $0.body?["reason"]?.string } == ["MissingTopic", Self.tooMany])
        #expect(replies[1].status == .tooManyRequests)
    }

    @Test func `a token that has expired still counts for its twenty minutes`() async throws {
        let fixture = try await IntakeFixture()
        var provider = ProviderConnection()
        var replies: [Int] = []
        // The first is an hour old now, and over when the others are shown.
        for (age, later) in [(Int64(3600), 0.0), (0, 60), (2401, 60), (2400, 60)] {
            let headers: HTTPFields = [
                .authorization: "bearer \(try fixture.providerToken(age: age))",
                .apnsTopic: topic,
            ]
            replies.append(
                fixture.push(with: headers, over: &provider, at: IntakeFixture.now + later)
                    .status.code)
        }
        #expect(replies == [200, 200, 429, 200])
    }

    @Test func `each connection counts by itself`() async throws {
        let fixture = try await IntakeFixture()
        // The fixture opens a connection for each.
        #expect(try fixture.push().status == .ok)
        #expect(try fixture.push().status == .ok)
    }
}
