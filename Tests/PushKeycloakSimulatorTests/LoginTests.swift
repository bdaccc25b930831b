import Foundation
import PushCore
import PushKeycloakSimulator
import PushTesting
import Testing

/// Pushes, lists, links, and what a login page sees.
@Suite struct LoginTests {
    @Test func `a push holds a signed token without user and application`() async throws {
        let bench = Bench()
        let phone = try await bench.enrolled()
        let login = try await bench.start()
        let push = try #require(await bench.server.takePushes().first)
        #expect(push.deviceToken == .fcm("fcm-token-1"))
        let data = try JSON(parsing: push.payload)
        #expect(data.object?.members.map(\.name) == ["token"])
        let token = try ReadToken(data["token"]?.string ?? "")
        #expect(try await token.isSigned(by: bench.keySet()))
        let expected: JSON.Object = [
            "iss": "https://sso.example/realms/demo", "credId": .string(phone.credentialID),
            "typ": 1, "ver": 1, "cid": .string(login.id), "iat": 1_795_867_200,
            "exp": 1_795_867_440,
        ]
        #expect(token.claims == expected)
        let message = try #require(await bench.server.takeFirebaseMessages().first?["message"])
        #expect(message["token"] == "fcm-token-1" && message["data"] == data)
        #expect(
            message["notification"]
                == ["title": "Push MFA", "body": "Please confirm your login"])
    }

    @Test(arguments: ["log", "none", "an-operators-own"])
    func `other providers push nothing, and the list has the challenge`(
        provider: String
    ) async throws {
        let bench = Bench()
        let phone = try await bench.enrolled(
            "jane", "ES256", ["pushProviderType": .string(provider)])
        let login = try await bench.start()
        #expect(await bench.server.takePushes().isEmpty)
        #expect(await bench.server.takeFirebaseMessages().isEmpty)
        #expect(try await bench.listed(phone).map { $0["cid"]?.string } == [login.id])
    }

    @Test func `an operator's own sender for APNs puts the token beside an alert`() async throws {
        let bench = Bench()
        let hex = String(repeating: "a1", count: 32)
        _ = try await bench.enrolled(
            "jane", "ES256", ["pushProviderType": "apns", "pushProviderId": .string(hex)])
        _ = try await bench.start()
        let push = try #require(await bench.server.takePushes().first)
        #expect(push.deviceToken == .apns(hex: hex, isSandbox: false))
        let payload = try JSON(parsing: push.payload)
        #expect(payload["token"] != nil && payload["aps"]?["alert"]?["title"] == "Push MFA")
    }

    @Test func `the list tells user, application, times and check`() async throws {
        let bench = Bench()
        let phone = try await bench.enrolled()
        let login = try await bench.start(.number)
        let entry = try #require(try await bench.listed(phone).first)
        #expect(entry["userId"]?.string == phone.user && entry["username"] == "jane")
        #expect(entry["cid"]?.string == login.id)
        #expect(entry["createdAt"] == 1_795_867_200 && entry["expiresAt"] == 1_795_867_440)
        #expect(entry["clientId"] == "test-app" && entry["clientName"] == "Test App")
        let check = try #require(entry["userVerification"])
        #expect(check["type"] == "number-match")
        let numbers = try #require(check["numbers"]?.array).compactMap(\.string)
        #expect(Set(numbers).count == 3 && numbers.allSatisfy { "\(Int($0) ?? -1)" == $0 })
        #expect(numbers.contains(try #require(login.shown)))
    }

    @Test func `what isn't there is null in the list`() async throws {
        let bench = Bench { $0.applicationName = nil }
        let phone = try await bench.enrolled()
        _ = try await bench.start()
        let entry = try #require(try await bench.listed(phone).first)
        #expect(entry["clientName"] == .null && entry["userVerification"] == .null)
    }

    @Test(arguments: [1, 4, 12])
    func `a PIN has as many digits as are set`(length: Int) async throws {
        let bench = Bench { $0.numberCheck = .pin(length: length) }
        let phone = try await bench.enrolled()
        let login = try await bench.start(.number)
        #expect(login.shown?.count == length)
        let entry = try #require(try await bench.listed(phone).first)
        #expect(entry["userVerification"] == ["type": "pin", "pinLength": .integer(length)])
    }

    @Test(arguments: [0, 13])
    func `a PIN of no or too many digits can't be set`(length: Int) async throws {
        let bench = Bench { $0.numberCheck = .pin(length: length) }
        _ = try await bench.enrolled()
        await #expect(throws: PushError.self) { try await bench.start(.number) }
    }

    @Test func `the list is the caller's own alone`() async throws {
        let bench = Bench()
        let phone = try await bench.enrolled()
        let second = try await bench.enrolled()
        let bob = try await bench.enrolled("bob")
        _ = try await bench.start()
        #expect(try await bench.listed(phone).count == 1)
        #expect(try await bench.listed(second).isEmpty)
        let foreign = try await bench.pending(bob, of: phone.user)
        #expect(foreign.status == 200 && foreign.json == ["challenges": []])
        let nobody = try await bench.call("GET", Bench.pendingPath, by: phone)
        #expect(nobody.words == "400 Missing field: userId")
    }

    @Test func `a login asks the first credential, unless the operator chose otherwise`()
        async throws
    {
        let bench = Bench()
        let (first, second) = (try await bench.enrolled(), try await bench.enrolled())
        _ = try await bench.start()
        #expect(try await bench.pushed().claims["credId"]?.string == first.credentialID)
        await bench.server.configure { $0.askedCredential = .last }
        _ = try await bench.start()
        #expect(try await bench.pushed().claims["credId"]?.string == second.credentialID)
    }

    @Test func `one more login replaces the oldest that is too many`() async throws {
        let bench = Bench()
        let phone = try await bench.enrolled()
        let first = try await bench.start()
        let second = try await bench.start()
        #expect(try await bench.listed(phone).map { $0["cid"]?.string } == [second.id])
        #expect(try await bench.answer(phone, first.id).words == "404 Challenge not found")
        #expect(try await bench.server.status(of: first.id) == .failed)
        await bench.server.configure { $0.maxPendingChallenges = 2 }
        _ = try await bench.start()
        #expect(try await bench.listed(phone).count == 2)
    }

    @Test func `a login ends with its time, and by its user`() async throws {
        let bench = Bench()
        let phone = try await bench.enrolled()
        let login = try await bench.start()
        bench.clock.advance(by: .seconds(239))
        #expect(try await bench.server.status(of: login.id) == .waiting)
        bench.clock.advance(by: .seconds(1))
        #expect(try await bench.server.status(of: login.id) == .expired)
        #expect(try await bench.listed(phone).isEmpty)
        #expect(try await bench.answer(phone, login.id).words == "404 Challenge not found")
        let cancelled = try await bench.start()
        try await bench.server.cancelLogin(cancelled.id)
        #expect(try await bench.server.status(of: cancelled.id) == .failed)
        #expect(try await bench.answer(phone, cancelled.id).words == "404 Challenge not found")
        await #expect(throws: PushError.self) {
            try await bench.server.cancelLogin(cancelled.id)
        }
    }

    @Test func `a same-device link has the token, and the answer where that is set`()
        async throws
    {
        let bench = Bench()
        _ = try await bench.enrolled()
        let prefix = "my-secure://confirm?token="
        let plain = try await bench.start(.number)
        let link = try await bench.server.sameDeviceLink(of: plain.id)
        #expect(link.hasPrefix(prefix))
        let token = try ReadToken(String(link.dropFirst(prefix.utf8.count)))
        #expect(token.claims["userVerification"] == nil)
        await bench.server.configure {
            $0.linkHasAnswer = true
            $0.confirmLink = ""
        }
        _ = await bench.server.takePushes()
        let login = try await bench.start(.number)
        let bare = try ReadToken(try await bench.server.sameDeviceLink(of: login.id))
        #expect(bare.claims["userVerification"]?.string == login.shown)
        #expect(try await bare.isSigned(by: bench.keySet()))
        #expect(try await bench.pushed().claims["userVerification"] == nil)
    }

    @Test func `nobody without a device logs in, and nobody by a finger`() async throws {
        let bench = Bench()
        await #expect(throws: PushError.self) { try await bench.start(of: "nobody") }
        _ = try await bench.invited()
        await #expect(throws: PushError.self) { try await bench.start() }
        _ = try await bench.enrolled()
        await #expect(throws: PushError.self) { try await bench.start(.biometry) }
    }

    @Test func `a push may come once more`() async throws {
        let bench = Bench()
        _ = try await bench.enrolled()
        let login = try await bench.start()
        try await bench.server.repeatPush(of: login.id)
        let pushes = await bench.server.takePushes()
        #expect(pushes.count == 2 && Set(pushes.map(\.payload)).count == 1)
    }
}
