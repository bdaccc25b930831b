import Foundation
import HTTPTypes
import PushCore
import PushPowerAuthSimulator
import PushTesting
import Testing

/// What the server has on an activation, by a device that is written for the tests alone.
struct ProfileTests {
    private let bench = Bench { $0.userInfo = ["ada": ["sub": "ada", "name": "Ada"]] }

    private func encryption(_ phone: Phone, version: String = "3.3") -> [String: String] {
        [
            "X-PowerAuth-Encryption":
                "PowerAuth version=\"\(version)\", application_key=\"\(phone.app.key)\", "
                + "activation_id=\"\(phone.id)\""
        ]
    }

    private func sealed(
        _ phone: Phone, _ plain: String, _ info: String = "/pa/generic/activation"
    ) async throws -> Envelope {
        try Envelope(plain.bytes, info, to: await bench.activationTarget(phone), at: bench.now)
    }

    private func detail(
        _ phone: Phone, _ headers: [String: String]
    ) async throws -> (Bench.Reply, Envelope) {
        let envelope = try await sealed(phone, "{}")
        let reply = try await bench.post(
            "/pa/v3/activation/detail", .object(envelope.members), headers)
        return (reply, envelope)
    }

    @Test func `a name is told by a token of two factors, with a header of the encryption`()
        async throws
    {
        let phone = try await bench.active()
        try await bench.makeToken(phone, "possession_knowledge")
        let token = ["X-PowerAuth-Token": try phone.tokenHeader(at: bench.now)]
        let (reply, envelope) = try await detail(
            phone, token.merging(encryption(phone)) { $1 })
        let told = try envelope.open(reply.json)
        #expect(told["status"] == "OK")
        #expect(told["responseObject"]?["activationName"] == "Ada's phone")
        #expect(told["responseObject"]?["activationId"]?.string == phone.id)
        let fresh = ["X-PowerAuth-Token": try phone.tokenHeader(at: bench.now)]
        #expect(try await detail(phone, fresh).0.code == "ERR_ENCRYPTION")
        #expect(try await detail(phone, encryption(phone)).0.code == "ERR_AUTHENTICATION")
    }

    @Test func `a token of one factor, or of another activation, tells none`() async throws {
        let phone = try await bench.tokened()
        let one = ["X-PowerAuth-Token": try phone.tokenHeader(at: bench.now)]
        #expect(
            try await detail(phone, one.merging(encryption(phone)) { $1 }).0.code
                == "ERR_AUTHENTICATION")
        let other = try await bench.active("bob")
        try await bench.makeToken(other, "possession_knowledge")
        let two = ["X-PowerAuth-Token": try other.tokenHeader(at: bench.now)]
        #expect(
            try await detail(phone, two.merging(encryption(phone)) { $1 }).0.code
                == "ERR_AUTHENTICATION")
    }

    @Test func `a name is changed by a signature over the plain bytes alone`() async throws {
        let phone = try await bench.active()
        func rename(
            _ type: String = "possession_knowledge", signing inner: Bool = true,
            plain: String = #"{"activationName":"Blue"}"#
        ) async throws -> (Bench.Reply, Envelope) {
            let envelope = try await sealed(phone, plain)
            let body = JSON.object(envelope.members).data
            let header = phone.header(type, "/pa/activation/rename", inner ? plain.bytes : body)
            let reply = try await bench.post(
                "/pa/v3/activation/rename", body, ["X-PowerAuth-Authorization": header])
            return (reply, envelope)
        }
        #expect(try await rename(signing: false).0.code == "ERR_AUTHENTICATION")
        #expect(try await rename("possession").0.code == "ERR_AUTHENTICATION")
        #expect(try await bench.record(phone).deviceName == "Ada's phone")
        let (reply, envelope) = try await rename()
        #expect(
            try envelope.open(reply.json)["responseObject"]?["activationName"] == "Blue")
        #expect(try await bench.record(phone).deviceName == "Blue")
        #expect(try await rename(plain: #"{"activationName":""}"#).0.status == 400)
        #expect(try await rename(plain: #"{"activationName":"a","x":1}"#).0.status == 400)
        #expect(try await rename(plain: "{}").0.status == 400)
    }

    @Test func `a user is told to whoever seals for an active activation`() async throws {
        let phone = try await bench.active()
        func ask(
            _ plain: String = "{}", _ info: String = "/pa/generic/activation"
        ) async throws -> (Bench.Reply, Envelope) {
            let envelope = try await sealed(phone, plain, info)
            let reply = try await bench.post(
                "/pa/v3/user/info", .object(envelope.members), encryption(phone))
            return (reply, envelope)
        }
        let (reply, envelope) = try await ask()
        #expect(try envelope.open(reply.json) == ["sub": "ada", "name": "Ada"])
        #expect(try await ask(#"{"a":1}"#).0.code == "ERR_USER_INFO")
        #expect(try await ask("{}", "/pa/generic/application").0.code == "ERR_ENCRYPTION")
        try await bench.server.block(phone.id)
        #expect(try await ask().0.code == "ERR_ENCRYPTION")
    }
}
