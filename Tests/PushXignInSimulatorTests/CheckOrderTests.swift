import Foundation
import PushCore
import PushTesting
import PushXignInSimulator
import Testing

/// The order in which a manager checks a call: `docs/vendors/xignin-oxrw.md#at-the-manager`.
struct CheckOrderTests {
    private let bench = Bench()

    @Test(arguments: [[:], ["factors": .null], ["factors": [["type": "face"]]]] as [JSON.Object])
    func `a judged assertion gets its result again, whatever stands where the factors were`(
        factors: JSON.Object
    ) async throws {
        let phone = try await bench.personalized()
        let (id, data) = try await bench.started(phone)
        let body = try bench.finishBody(phone, data, pin: "24680")
        let first = try await bench.finish(phone, id, body)
        var again: JSON.Object = ["assertion": body["assertion"] ?? .null]
        for member in factors.members { again[member.name] = member.value }
        #expect(try await bench.finish(phone, id, .object(again)).data == first.data)
    }

    @Test func `what is wrong with an approval is told in the page's order`() async throws {
        let phone = try await bench.personalized()
        let (id, data) = try await bench.started(phone)
        let stranger = try Phone.key("stranger")
        let claims = try phone.assertionClaims(data, at: bench.now, jti: "asr-1")
        var wrong = claims
        wrong["decision"] = "reject"
        let foreign = try Token.text(.object(wrong), type: "oxrw-asr+jwt", by: stranger)
        // Each lacks what the one before it lacked, but for the first of that.
        let bodies: [(JSON, String)] = [
            (["assertion": .string(foreign), "factors": 1], "400 malformed_request"),
            (["assertion": .string(foreign), "factors": []], "401 invalid_device_signature"),
            (
                ["assertion": .string(try phone.assertion(wrong)), "factors": []],
                "400 malformed_request"
            ),
            (
                ["assertion": .string(try phone.assertion(claims)), "factors": []],
                "400 factors_missing"
            ),
        ]
        for (body, verdict) in bodies {
            #expect(try await bench.finish(phone, id, body).verdict == verdict)
        }
        bench.clock.advance(by: .seconds(180))
        for (body, _) in bodies {
            #expect(try await bench.finish(phone, id, body).verdict == "410 process_expired")
        }
    }

    @Test func `a reason that doesn't exist is looked at only while a no can still count`()
        async throws
    {
        let one = try await bench.personalized(label: "one")
        let two = try await bench.personalized(label: "two")
        let (id, _) = try await bench.login()
        #expect(try await bench.reject(one, id, "bored").verdict == "400 malformed_request")
        let first = try await bench.reject(one, id)
        #expect(try await bench.reject(one, id, "bored").data == first.data)
        #expect(try await bench.reject(two, id, "bored").verdict == "409 process_finished")
    }
}
