import Foundation
import PushCore
import PushPowerAuthSimulator
import PushTesting
import Testing

/// The whole flow, by every version that servers take.
struct VersionTests {
    @Test(arguments: ["3.0", "3.1", "3.2", "3.3"])
    func `a device of each version activates, reads and approves`(version: String) async throws {
        let bench = Bench()
        let phone = try await bench.tokened(version: version)
        #expect(try await bench.record(phone).fingerprint == phone.fingerprint)
        let operation = try await bench.server.createOperation(for: "ada", .payment)
        let list = try await bench.read(phone, Bench.operations + "/list")
        #expect(list.object?.array?.first?["id"]?.string == operation.id)
        let data = PowerAuthSimulator.OperationTemplate.payment.data
        #expect(try await bench.authorize(phone, operation.id, data: data).status == 200)
        #expect(try await bench.server.operation(operation.id).status == .approved)
        #expect(try await bench.record(phone).counter == UInt64(phone.steps))
    }

    @Test(arguments: ["3.0", "3.1", "3.2", "3.3"])
    func `all signature types are right by each version`(version: String) async throws {
        let bench = Bench()
        let phone = try await bench.active(version: version)
        for type in PowerAuthSimulator.SignatureType.allCases {
            #expect(try await bench.validate(phone, type.rawValue).status == 200, "\(type)")
        }
    }

    @Test(arguments: ["2.1", "3.4", "4.0", "3.30", ""])
    func `another version is refused in every header`(version: String) async throws {
        let bench = Bench()
        let phone = try await bench.tokened()
        let twist = Phone.Twist(version: version)
        #expect(try await bench.validate(phone, "possession_knowledge", twist).status == 401)
        #expect(try await bench.record(phone).failedAttempts == 0)
        let header = try phone.tokenHeader(at: bench.now, version: version)
        #expect(
            try await bench.post(
                Bench.operations + "/list", [:], ["X-PowerAuth-Token": header]
            ).status == 401)
        let code = try await bench.server.createActivation(for: "ada").code
        let app = try await bench.app
        let target = try await bench.target(app)
        let outer = try Envelope(
            Bench.Exchange(code).plainOuter, "/pa/generic/application", to: target, at: bench.now)
        let reply = try await bench.post(
            "/pa/v3/activation/create", .object(outer.members),
            bench.encryptionHeader(app, version: version))
        #expect(reply.code == "ERR_ENCRYPTION")
    }

    @Test func `a header's version has to be the envelope's`() async throws {
        let bench = Bench()
        let phone = try await bench.active()
        let envelope = try Envelope(
            "{}".bytes, "/pa/token/create", to: await bench.activationTarget(phone),
            at: bench.now)
        let reply = try await bench.signed(
            phone, "/pa/v3/token/create", "/pa/token/create", .object(envelope.members),
            "possession", Phone.Twist(version: "3.2"))
        #expect(reply.status == 400)
        #expect(reply.code == "ERR_ENCRYPTION")
    }
}
