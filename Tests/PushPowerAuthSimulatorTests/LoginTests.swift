import Foundation
import HTTPTypes
import PushCore
import PushPowerAuthSimulator
import PushTesting
import Testing

/// What every vendor's simulator does, and the controls of this one.
struct LoginTests {
    private let bench = Bench()

    @Test func `a login is an operation of two factors`() async throws {
        let phone = try await bench.reachable()
        let login = try await bench.server.startLogin(of: "ada", asking: .confirm)
        #expect(login.shown == nil)
        #expect(await bench.server.takePushes().count == 1)
        #expect(try await bench.server.status(of: login.id) == .waiting)
        let data = PowerAuthSimulator.OperationTemplate.login.data
        #expect(
            try await bench.authorize(phone, login.id, data: data, "possession").status == 401)
        #expect(try await bench.authorize(phone, login.id, data: data).status == 200)
        #expect(try await bench.server.status(of: login.id) == .approved)
    }

    @Test func `biometry is asked for by the operation's variants`() async throws {
        let phone = try await bench.active()
        let login = try await bench.server.startLogin(of: "ada", asking: .biometry)
        let data = PowerAuthSimulator.OperationTemplate.login.data
        #expect(try await bench.authorize(phone, login.id, data: data).status == 401)
        let reply = try await bench.authorize(phone, login.id, data: data, "possession_biometry")
        #expect(reply.status == 200)
    }

    @Test func `each end has its status`() async throws {
        let phone = try await bench.active()
        let server = bench.server
        func login() async throws -> String {
            try await server.startLogin(of: "ada", asking: .confirm).id
        }
        var id = try await login()
        _ = try await bench.cancel(phone, id)
        #expect(try await server.status(of: id) == .denied)
        id = try await login()
        try await server.cancelOperation(id)
        #expect(try await server.status(of: id) == .failed)
        id = try await login()
        try await server.failOperation(id)
        #expect(try await server.status(of: id) == .failed)
        id = try await login()
        bench.clock.advance(by: .seconds(300))
        #expect(try await server.status(of: id) == .expired)
    }

    @Test func `a login needs a device, and no number is shown`() async throws {
        let pending = try await bench.exchanged("bob")
        let server = bench.server
        for (user, kind, code) in [
            ("ada", SimulatedLogin.Kind.confirm, PushError.Code.notFound),
            ("bob", .confirm, .notFound), ("bob", .number, .unsupported),
        ] {
            let error = await #expect(throws: PushError.self) {
                try await server.startLogin(of: user, asking: kind)
            }
            #expect(error?.code == code)
        }
        try await server.commit(pending.id)
        _ = try await server.startLogin(of: "bob", asking: .confirm)
        let unknown = await #expect(throws: PushError.self) {
            try await server.status(of: "none")
        }
        #expect(unknown?.code == .notFound)
    }

    @Test func `an invitation may need no commit`() async throws {
        await bench.server.configure { $0.invitation.commitPhase = .onKeyExchange }
        let text = try #require(try await bench.server.invitation(for: "ada").scannedText)
        let exchange = Bench.Exchange(String(text.prefix(23)))
        #expect(try await bench.send(exchange).reply.status == 200)
        #expect(await bench.server.activations(of: "ada").map(\.state) == [.active])
    }

    @Test func `an origin is scheme, host and port`() async throws {
        try await bench.server.move(to: "https://localhost:8443")
        #expect(await bench.server.origin == "https://localhost:8443")
        for origin in ["localhost", "https://localhost/", "ftp://localhost"] {
            await #expect(throws: PushError.self) { try await bench.server.move(to: origin) }
        }
    }

    @Test func `forced and chosen refusals come first`() async throws {
        let phone = try await bench.active()
        await bench.server.force(status: 503, times: 2)
        for _ in 1...2 { #expect(try await bench.validate(phone).status == 503) }
        #expect(try await bench.record(phone).counter == 0)
        await bench.server.spoil(
            by: .refusal(status: 400, code: "INVALID_REQUEST"), at: .validation)
        #expect(try await bench.post("/pa/v3/status", [:]).status == 200)
        #expect(try await bench.validate(phone).code == "INVALID_REQUEST")
        #expect(try await bench.validate(phone).status == 200)
        let exchanges = await bench.server.exchanges
        #expect(exchanges.suffix(3).map(\.status) == [200, 400, 200])
        #expect(exchanges.last?.request.path == "/pa/v3/signature/validate")
    }

    @Test func `calls are POSTs of JSON to known paths`() async throws {
        let path = "/pa/v3/status"
        #expect(try await bench.post(path, Data("{}".utf8), method: .get).status == 405)
        #expect(try await bench.post(path, Data("{}".utf8), type: nil).status == 415)
        #expect(try await bench.post(path, Data("{}".utf8), type: "text/plain").status == 415)
        #expect(
            try await bench.post(
                path, Data("{}".utf8), type: "application/json;charset=UTF-8"
            ).status == 200)
        #expect(try await bench.post("/pa/v4/status", [:]).code == "ERROR_NOT_FOUND")
    }

    @Test func `equal random sources make equal servers`() async throws {
        let one = Bench()
        let other = Bench()
        #expect(await one.server.sdkConfiguration == other.server.sdkConfiguration)
        let first = try await one.server.createActivation(for: "ada")
        let second = try await other.server.createActivation(for: "ada")
        #expect(first.code == second.code)
        #expect(first.id == second.id)
        let third = try await one.server.createActivation(for: "ada")
        #expect(third.code != first.code)
    }
}
