import Foundation
import IndependentEncodings
import PushCore
import PushPowerAuthSimulator
import PushTesting
import Testing

/// Operations that only somebody near may approve.
struct ProximityTests {
    private let bench = Bench()

    private func operation(failing limit: Int = 5) async throws -> (id: String, data: String) {
        var template = PowerAuthSimulator.OperationTemplate.payment
        template.needsProximity = true
        template.maximumFailures = limit
        return (try await bench.server.createOperation(for: "ada", template).id, template.data)
    }

    private func check(_ password: String, _ change: (inout JSON.Object) -> Void = { _ in })
        -> JSON
    {
        var check: JSON.Object = [
            "otp": .string(password), "type": "QR_CODE",
            "timestampReceived": "2024-10-27T03:33:20Z", "timestampSent": "2024-10-27T03:33:29Z",
        ]
        change(&check)
        return .object(check)
    }

    @Test func `the next step's password approves nothing yet`() async throws {
        let phone = try await bench.tokened()
        let (id, data) = try await operation()
        let start = bench.clock.now
        bench.clock.set(start + 30)
        let next = try await bench.server.proximityPassword(of: id)
        bench.clock.set(start)
        #expect(
            try await bench.authorize(phone, id, data: data, near: check(next)).status == 401)
        bench.clock.set(start + 30)
        #expect(
            try await bench.authorize(phone, id, data: data, near: check(next)).status == 200)
    }

    @Test func `the password on the screen approves, in its step and the one after`()
        async throws
    {
        let phone = try await bench.tokened()
        for (wait, isRight) in [(0, true), (30, true), (60, false)] {
            let (id, data) = try await operation()
            let password = try await bench.server.proximityPassword(of: id)
            bench.clock.advance(by: .seconds(wait))
            let reply = try await bench.authorize(phone, id, data: data, near: check(password))
            #expect(reply.status == (isRight ? 200 : 401), "\(wait)")
            if !isRight { #expect(reply.code == "OPERATION_FAILED") }
        }
    }

    @Test func `a missing, wrong or incomplete proof fails, and counts`() async throws {
        let phone = try await bench.tokened()
        let (id, data) = try await operation(failing: 99)
        let (other, _) = try await operation()
        let password = try await bench.server.proximityPassword(of: id)
        let foreign = try await bench.server.proximityPassword(of: other)
        #expect(password != foreign)
        let proofs = [
            nil, check(foreign), check(password) { $0["type"] = "NFC" },
            check(password) { $0["timestampSent"] = nil },
            check(password) { $0["timestampReceived"] = nil },
            check(password) { $0["timestampReceived"] = "yesterday" },
            check(password) { $0["timestampSent"] = "2024-10-27 03:33:29" },
            check(password) { $0["timestampSent"] = 1_730_000_009 },
            // Sent before it was received.
            check(password) { $0["timestampReceived"] = "2024-10-27T03:33:30Z" },
        ]
        for proof in proofs {
            let reply = try await bench.authorize(phone, id, data: data, near: proof)
            #expect(reply.status == 401)
            #expect(reply.code == "OPERATION_FAILED")
        }
        #expect(try await bench.server.operation(id).failures == 9)
        let right = check(password) {
            $0["type"] = "DEEPLINK"
            $0["timestampSent"] = "2024-10-27T03:33:20.250Z"
        }
        #expect(try await bench.authorize(phone, id, data: data, near: right).status == 200)
    }

    @Test func `the screen before says to scan, and the code says what`() async throws {
        let phone = try await bench.tokened()
        let (id, _) = try await operation()
        let shown = try await bench.read(phone, Bench.operations + "/list").object?.array?[0]
        #expect(shown?["ui"]?["preApprovalScreen"]?["type"] == "QR_SCAN")
        let password = try await bench.server.proximityPassword(of: id)
        for (form, name) in [
            (PowerAuthSimulator.ProximityForm.query, "totp"), (.olderQuery, "potp"),
        ] {
            let link = try await bench.server.proximityLink(of: id, as: form)
            let items = URLComponents(string: link)?.queryItems
            #expect(items?.first { $0.name == "oid" }?.value == id)
            #expect(items?.first { $0.name == name }?.value == password)
        }
        let token = try await bench.server.proximityLink(of: id, as: .token)
        let claims = try JSON(parsing: data(base64url: token.split(separator: ".")[1]))
        #expect(claims == ["oid": .string(id), "totp": .string(password)])
    }

    @Test func `a proof that isn't needed doesn't hurt`() async throws {
        let phone = try await bench.tokened()
        let template = PowerAuthSimulator.OperationTemplate.payment
        let id = try await bench.server.createOperation(for: "ada", template).id
        #expect(
            try await bench.authorize(phone, id, data: template.data, near: check("1")).status
                == 200)
    }
}
