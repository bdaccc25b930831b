import Crypto
import Foundation
import HTTPTypes
import PushCore
import Testing

@testable import PushAuthCommand

struct APNsEndpointTests {
    @Test func `a push to this device is accepted, and its identifier comes back`() async throws {
        let fixture = try await IntakeFixture()
        let id = "123e4567-e89b-12d3-a456-42665544000A"
        let reply = try fixture.push(
            #"{"aps":{},"m":"x"}"#, to: fixture.apns.token.uppercased(),
            [
                .apnsID: id, .apnsPushType: "alert", .apnsPriority: "10",
                .apnsExpiration: "1790000060", .apnsCollapseID: String(repeating: "é", count: 32),
            ])
        #expect(reply.status == .ok)
        #expect(reply.body == nil)
        #expect(reply.headers[.apnsID] == id)
        let push = try #require(reply.push)
        #expect(push.push.message.content == ["aps": [:], "m": "x"])
        #expect(push.push.intake == "apns")
        #expect(push.expiry == IntakeFixture.now + 60)
        #expect(push.collapse?.utf8.count == 64)
        #expect(push.isUrgent)
    }

    @Test func `a request without an identifier gets one`() async throws {
        let fixture = try await IntakeFixture()
        let ids = [try fixture.push(), try fixture.push("")].map { $0.headers[.apnsID] ?? "" }
        #expect(Set(ids).count == 2)
        #expect(ids.allSatisfy { UUID(uuidString: $0) != nil })
    }

    @Test func `a push is urgent unless its priority or its type says otherwise`() async throws {
        let fixture = try await IntakeFixture()
        #expect(try fixture.push().push?.isUrgent == true)
        #expect(try fixture.push(to: nil, [.apnsPriority: "5"]).push?.isUrgent == false)
        #expect(try fixture.push(to: nil, [.apnsPriority: "1"]).push?.isUrgent == false)
        #expect(try fixture.push(to: nil, [.apnsPushType: "background"]).push?.isUrgent == false)
    }

    @Test func `an expiration of zero is now or never, and none at all is no end`() async throws {
        let fixture = try await IntakeFixture()
        let never = try #require(try fixture.push(to: nil, [.apnsExpiration: "0"]).push)
        #expect(never.expiry == nil)
        #expect(try #require(try fixture.push().push).expiry == nil)
    }

    /// Headers that are wrong, and why.
    static let wrong: [(name: HTTPField.Name, value: String?, reason: APNsReason)] = [
        (.apnsID, "x", .badMessageID), (.apnsID, "", .badMessageID),
        (.apnsID, "123e4567e89b12d3a456426655440000", .badMessageID),
        (.apnsID, "g23e4567-e89b-12d3-a456-426655440000", .badMessageID),
        (.apnsTopic, nil, .missingTopic), (.apnsTopic, "", .missingTopic),
        (.apnsTopic, "a b", .badTopic), (.apnsTopic, String(repeating: "a", count: 256), .badTopic),
        (.apnsTopic, "com.example.other", .deviceTokenNotForTopic),
        (.apnsTopic, "com.example.pushauth.voip", .deviceTokenNotForTopic),
        (.apnsPushType, "sound", .invalidPushType), (.apnsPushType, "", .invalidPushType),
        (.apnsPriority, "0", .badPriority), (.apnsPriority, "high", .badPriority),
        (.apnsPriority, "010", .badPriority),
        (.apnsExpiration, "soon", .badExpirationDate), (.apnsExpiration, "-1", .badExpirationDate),
        (.apnsExpiration, "1.5", .badExpirationDate), (.apnsExpiration, "", .badExpirationDate),
        (.apnsCollapseID, String(repeating: "a", count: 65), .badCollapseID),
        (.apnsCollapseID, "", .badCollapseID),
        (.authorization, nil, .missingProviderToken), (.authorization, "", .missingProviderToken),
        (.authorization, "basic x", .missingProviderToken),
        (.authorization, "bearer x", .invalidProviderToken),
    ]

    @Test(arguments: wrong.indices)
    func `a wrong header is refused with its reason`(_ index: Int) async throws {
        let (name, value, reason) = Self.wrong[index]
        let reply = try await IntakeFixture().push(to: nil, [name: value])
        #expect(reply.body?["reason"]?.string == reason.rawValue)
        #expect(reply.status == reason.status)
        #expect(reply.push == nil)
    }

    @Test func `a push in the background must not be urgent`() async throws {
        let reply = try await IntakeFixture().push(
            to: nil, [.apnsPushType: "background", .apnsPriority: "10"])
        #expect(reply.body?["reason"] == "BadPriority")
    }

    @Test(arguments: [
        HTTPField.Name.apnsTopic, .apnsPriority, .apnsID, .apnsExpiration, .authorization,
    ])
    func `a header that is there twice is refused`(_ name: HTTPField.Name) async throws {
        let fixture = try await IntakeFixture()
        var headers: HTTPFields = [
            .authorization: "bearer \(try fixture.providerToken())",
            .apnsTopic: "com.example.pushauth",
        ]
        let value = headers[name] ?? "5"
        headers.append(HTTPField(name: name, value: value))
        if headers[values: name].count < 2 { headers.append(HTTPField(name: name, value: value)) }
        var provider = ProviderConnection()
        let reply = fixture.push(with: headers, over: &provider)
        #expect(reply.body?["reason"] == "DuplicateHeaders")
    }

    @Test(arguments: [
        (String(repeating: "a", count: 63), APNsReason.badDeviceToken),
        (String(repeating: "a", count: 62), .badDeviceToken),
        (String(repeating: "a", count: 202), .badDeviceToken),
        (String(repeating: "g", count: 64), .badDeviceToken),
        (String(repeating: "a1", count: 32) + "/x", .badDeviceToken),
        (String(repeating: "a", count: 64), .unregistered), ("", .missingDeviceToken),
    ])
    func `a push to no device, or to another, is refused`(
        _ token: String, _ reason: APNsReason
    ) async throws {
        let reply = try await IntakeFixture().push(to: token)
        #expect(reply.body?["reason"]?.string == reason.rawValue)
        #expect(reply.status == reason.status)
        // The moment in milliseconds, for `Unregistered` alone.
        let moment = reason == .unregistered ? JSON?.some(1_790_000_000_000) : JSON?.none
        #expect(reply.body?["timestamp"] == moment)
    }

    @Test(arguments: [
        ("", APNsReason.payloadEmpty), ("{", .badPayload), ("[]", .badPayload),
        ("{\"a\":1,\"a\":2}", .badPayload),
        ("{\"a\":\"\(String(repeating: "x", count: 4089))\"}", .payloadTooLarge),
    ])
    func `a payload that is none is refused`(
        _ payload: String, _ reason: APNsReason
    ) async throws {
        let reply = try await IntakeFixture().push(payload)
        #expect(reply.body?["reason"]?.string == reason.rawValue)
        #expect(reply.status == reason.status)
    }

    @Test func `4096 bytes are taken`() async throws {
        let payload = "{\"a\":\"\(String(repeating: "x", count: 4088))\"}"
        #expect(payload.utf8.count == 4096)
        #expect(try await IntakeFixture().push(payload).status == .ok)
    }

    @Test(arguments: [
        (HTTPRequest.Method.get, "/3/device/aa", APNsReason.methodNotAllowed),
        (.post, "/", .badPath), (.post, "/2/device/aa", .badPath), (.post, "/3/devices", .badPath),
        (.post, "/3/device", .missingDeviceToken), (.get, "/4", .methodNotAllowed),
        (.head, "/", .methodNotAllowed), (.head, "/3/device/aa", .methodNotAllowed),
    ])
    func `another method or path is refused`(
        _ method: HTTPRequest.Method, _ path: String, _ reason: APNsReason
    ) async throws {
        let fixture = try await IntakeFixture()
        var provider = ProviderConnection()
        let reply = fixture.apns.reply(
            to: fixture.request(method, path), Data(), over: &provider, at: IntakeFixture.now)
        #expect(reply.body?["reason"]?.string == reason.rawValue)
        #expect(reply.status == reason.status)
    }

    @Test func `reasons have the status of Apple's list`() {
        let statuses = Dictionary(grouping: APNsReason.allCases, by: \.status.code)
            .mapValues { Set($0.map(\.rawValue)) }
        #expect(
            statuses[403]
                == [
                    "BadCertificate", "ExpiredProviderToken", "InvalidProviderToken",
                    "MissingProviderToken",
                ])
        #expect(statuses[404] == ["BadPath"])
        #expect(statuses[405] == ["MethodNotAllowed"])
        #expect(statuses[410] == ["Unregistered"])
        #expect(statuses[413] == ["PayloadTooLarge"])
        #expect(statuses[429] == ["TooManyProviderTokenUpdates", "TooManyRequests"])
        #expect(statuses[503] == ["ServiceUnavailable", "Shutdown"])
        #expect(statuses[400]?.count == APNsReason.allCases.count - 12)
    }

    @Test func `the guide has every reason with its status, and no other`() throws {
        let file = URL(fileURLWithPath: #filePath)
            .appendingPathComponent("../../../../../docs/guides/pushauth.md").standardizedFileURL
        let section = try String(contentsOf: file, encoding: .utf8)
            .components(separatedBy: "\n### APNs\n")[1].components(separatedBy: "\n### ")[0]
        let tables = section.components(separatedBy: "these are not offered:")
        try #require(tables.count == 2)
        let reasons = tables.map { table -> [Int: Set<String>] in
            var found: [Int: Set<String>] = [:]
            for row in table.split(separator: "\n") where row.hasPrefix("|") {
                let cells = row.split(separator: "|")
                let status = Int(cells[0].trimmingCharacters(in: .whitespaces).prefix(3))
                guard let status else { continue }
                let names = cells[1].matches(of: /`([A-Z][A-Za-z]+)`/).map { String($0.1) }
                found[status, default: []].formUnion(names)
            }
            return found
        }
        let all = Dictionary(grouping: APNsReason.allCases, by: \.status.code)
        #expect(reasons[0] == all.mapValues { Set($0.map(\.rawValue)) })
        let others = reasons[1].values.reduce(into: []) { $0 += $1 }
        #expect(!others.isEmpty && others.allSatisfy { APNsReason(rawValue: $0) == nil })
    }
}
