import Foundation
import PushCore
import PushForgeRockSimulator
import PushTesting
import Testing

struct RefreshTests {
    @Test func `later pushes go to the new device token`() async throws {
        let bench = Bench()
        let phone = try await bench.enrolled()
        let body = try phone.refreshBody(deviceID: "ABCD", username: "jane")
        #expect(try await bench.post(body, to: "refresh") == 200)
        let push = try await bench.login().push
        #expect(push.deviceToken == .apns(hex: "ABCD", isSandbox: false))
    }

    @Test(arguments: [ForgeRockSimulator.Generation.a, .b])
    func `before AM 8.0.1 there is no refresh`(
        generation: ForgeRockSimulator.Generation
    ) async throws {
        let bench = Bench(generation)
        let phone = try await bench.enrolled()
        let body = try phone.refreshBody(deviceID: "ABCD", username: "jane")
        #expect(try await bench.post(body, to: "refresh") == 501)
    }

    @Test(arguments: ["mechanismUid", "username"])
    func `a refresh names mechanism and user`(member: String) async throws {
        let bench = Bench()
        let phone = try await bench.enrolled()
        var body = try #require(phone.refreshBody(deviceID: "ABCD", username: "jane").object)
        body["userId"] = "jane"
        for value in [
            JSON?.none, .null, "other", .string(body[member]?.string?.lowercased() ?? ""),
        ]
        where value != body[member] {
            var body = body
            body[member] = value
            #expect(try await bench.post(.object(body), to: "refresh") == 400)
        }
        #expect(try await bench.post(.object(body), to: "refresh") == 200)
    }

    @Test func `a refresh signed with another key is refused`() async throws {
        let bench = Bench()
        let phone = try await bench.enrolled()
        var body = try #require(phone.refreshBody(deviceID: "ABCD", username: "jane").object)
        let claims: JSON.Object = ["deviceId": "ABCD", "communicationType": "apns"]
        body["jwt"] = .string(try phone.jwt(claims, key: Data(count: 32)))
        #expect(try await bench.post(.object(body), to: "refresh") == 400)
        body["jwt"] = .string(try phone.jwt(["deviceId": "ABCD"]))
        #expect(try await bench.post(.object(body), to: "refresh") == 400)
        body["jwt"] = .string(try phone.jwt(claims))
        #expect(try await bench.post(.object(body), to: "refresh") == 200)
    }

    @Test func `a new token that SNS refuses changes nothing`() async throws {
        let bench = Bench { $0.refusesDeviceToken = { $0 == "ABCD" } }
        let phone = try await bench.enrolled()
        let body = try phone.refreshBody(deviceID: "ABCD", username: "jane")
        #expect(try await bench.post(body, to: "refresh") == 400)
        let token = await bench.am.devices(of: "jane").first?.deviceToken
        #expect(token == .apns(hex: phone.deviceID, isSandbox: false))
    }

    @Test func `a captured refresh can be replayed, as nothing in it is fresh`() async throws {
        let bench = Bench()
        let phone = try await bench.enrolled()
        let old = try phone.refreshBody(deviceID: "ABCD", username: "jane")
        let new = try phone.refreshBody(deviceID: "EF01", username: "jane")
        for body in [old, new, old] {
            #expect(try await bench.post(body, to: "refresh") == 200)
        }
        let token = await bench.am.devices(of: "jane").first?.deviceToken
        #expect(token == .apns(hex: "ABCD", isSandbox: false))
    }
}
