import Crypto
import ExternalTool
import Foundation
import HTTPTypes
import PushCore
import PushPowerAuthSimulator
import PushTesting
import Testing

/// A whole device in Python, which shares no code with ours: it activates, reads its status,
/// makes a token, and approves, and all of it has to fit.
@Suite(.enabled(if: ExternalTool.hasCryptography))
struct RecomputationTests {
    private let bench = Bench()

    /// Runs one step of the device; what it keeps goes in and out.
    private func python(_ step: String, _ input: JSON.Object) throws -> JSON.Object {
        var input = input
        input["step"] = .string(step)
        let output = ExternalTool.python.run(
            ["-c", RecomputationScript.text], input: JSON.object(input).data)
        let bytes = try #require(output, "Python failed at \(step)")
        return try #require(try JSON(parsing: bytes).object)
    }

    private func device(_ app: Phone.App) -> JSON.Object {
        [
            "appKey": .string(app.key), "appSecret": .string(app.secret),
            "master": .string(app.masterKey.x963Representation.base64EncodedString()),
            "now": .integer(bench.now),
        ]
    }

    /// Sends what a step made, and hands the answer to the next.
    private func exchange(
        _ step: String, _ state: JSON.Object, _ path: String,
        method: HTTPRequest.Method = .post
    ) async throws -> JSON.Object {
        var state = try python(step, state)
        var headers: [String: String] = [:]
        for member in state["headers"]?.object?.members ?? [] {
            headers[member.name] = member.value.string
        }
        // The signature is over the text as Python wrote it.
        let body = try #require(state["body"]?.string).bytes
        let reply = try await bench.post(path, body, headers, method: method)
        #expect(reply.status == 200, "\(step)")
        state["answer"] = reply.json
        return state
    }

    /// A device that Python activated.
    private func activated() async throws -> JSON.Object {
        let code = try await bench.server.createActivation(for: "ada")
        var state = device(try await bench.app)
        state["code"] = .string(code.text)
        state = try await exchange("askForKey", state, "/pa/v3/keystore/create")
        state = try await exchange("activate", state, "/pa/v3/activation/create")
        state = try python("activated", state)
        let record = try await bench.server.activation(code.id)
        #expect(state["fingerprint"]?.string == record.fingerprint)
        try await bench.server.commit(code.id)
        return state
    }

    @Test func `Python activates, with the same keys and fingerprint`() async throws {
        var state = try await activated()
        state = try await exchange("askForStatus", state, "/pa/v3/activation/status")
        state = try python("readStatus", state)
        #expect(state["state"] == 3)
        #expect(state["isInSync"] == true)
    }

    @Test func `Python's token is taken, and its approval, too`() async throws {
        var state = try await activated()
        state = try await exchange("askForKey", state, "/pa/v3/keystore/create")
        state = try await exchange("makeToken", state, "/pa/v3/token/create")
        let operation = try await bench.server.createOperation(for: "ada", .payment)
        state = try await exchange("list", state, Bench.operations + "/list")
        #expect(state["answer"]?["responseObject"]?.array?.count == 1)
        state["operation"] = state["answer"]?["responseObject"]?.array?[0]
        state = try await exchange("approve", state, Bench.operations + "/authorize")
        #expect(try await bench.server.operation(operation.id).status == .approved)
        state = try await exchange("askForStatus", state, "/pa/v3/activation/status")
        #expect(try python("readStatus", state)["isInSync"] == true)
    }

    @Test func `Python's offline signature is right`() async throws {
        var state = try await activated()
        let id = try #require(state["activationId"]?.string)
        for key in [PowerAuthSimulator.OfflineKey.master, .personalized] {
            var request = PowerAuthSimulator.OfflineRequest(
                operation: "1", title: "Pay", message: "Really?", data: "A1*A1EUR")
            request.key = key
            request.hasPassword = key == .master
            let code = try await bench.server.createOfflineCode(request, for: id)
            state["qr"] = .string(code.text)
            state = try python("offline", state)
            let signature = try #require(state["signature"]?.string)
            #expect(
                try await bench.server.verifyOfflineSignature(signature, of: code.id)
                    == .accepted(.possessionKnowledge))
        }
    }

    // MARK: The bank's own requests

    private static let resources: [PowerAuthSimulator.BankResource] = [
        .init("/secured/payment"), .init("/secured/accounts", methods: [.get]),
        .init("/order", encryption: .activation, answer: ["order": "taken"]),
        .init("/login", proof: .none, encryption: .application, answer: ["welcome": true]),
        .init(
            "/cards", proof: .token([.possession]), encryption: .activation, answer: ["cards": 2]),
    ]

    /// A temporary key of the activation, or of the application alone, and then a step.
    private func sealed(
        _ step: String, _ state: JSON.Object, _ path: String, alone: Bool = false
    ) async throws -> JSON.Object {
        var state = state
        state["alone"] = .bool(alone)
        state = try await exchange("askForKey", state, "/pa/v3/keystore/create")
        return try await exchange(step, state, path)
    }

    @Test func `Python's own requests are taken: signed, encrypted in both scopes, by token`()
        async throws
    {
        await bench.server.configure { $0.resources = Self.resources }
        var state = try await activated()
        state = try await exchange("pay", state, "/secured/payment")
        let query = "page=2&note=%C5%BE%20%C3%B3&Zeta=*~&empty="
        state = try await exchange("read", state, "/secured/accounts?" + query, method: .get)
        state = try await sealed("order", state, "/order")
        state = try python("opened", state)
        #expect(state["opened"] == ["order": "taken"])
        state = try await sealed("makeToken", state, "/pa/v3/token/create")
        state = try await exchange("cards", state, "/cards")
        state = try python("opened", state)
        #expect(state["opened"] == ["cards": 2])
        state = try await sealed("logIn", state, "/login", alone: true)
        state = try python("opened", state)
        #expect(state["opened"] == ["welcome": true])
        let seen = await bench.server.resourceRequests
        #expect(seen.map { String(decoding: $0.body, as: UTF8.self) }.contains(#"{"order":7}"#))
        #expect(seen.count == 5)
        print("Python's own requests that the simulator took: \(seen.count)")
    }

    @Test func `Python unlocks the vault, and signs with the device's key`() async throws {
        var state = try await activated()
        state = try await sealed("unlock", state, "/pa/v3/vault/unlock")
        state = try python("unlocked", state)
        #expect(await bench.server.unlockReasons == ["PYTHON"])
        let signature = try b64(state["signed"]?.string)
        let id = try #require(state["activationId"]?.string)
        #expect(
            try await bench.server.verifyDeviceSignature(
                signature, over: "contract 42".bytes, of: id))
        #expect(
            try await !bench.server.verifyDeviceSignature(
                signature, over: "contract 43".bytes, of: id))
    }
}
