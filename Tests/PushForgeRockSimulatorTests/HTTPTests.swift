import Foundation
import HTTPTypes
import IndependentEncodings
import PushCore
import PushForgeRockSimulator
import PushTesting
import Testing

struct HTTPTests {
    private let origin = "https://am.example.com:8443"

    @Test(arguments: [
        "/", "/am/json/push/sns/message?_action=register",
        "/am/json/alpha/push/sns/message/?_action=register",
        "/am/json/realms/root/realms/alpha/push/sns/message?_action=register",
        "/json/alpha/push/sns/message?_action=register", "/am/json/ALPHA/push/sns/message",
    ])
    func `another path is not found`(path: String) async throws {
        let reply = try await Bench().post(Data("{}".utf8), to: origin + path)
        #expect(reply.status == 404)
        #expect(try JSON(parsing: reply.body)["code"] == 404)
        #expect(reply.headers[.contentType] == "application/json;charset=UTF-8")
    }

    @Test func `a realm without a push service says so`() async throws {
        let bench = Bench()
        let phone = try await bench.enrolled()
        let (_, push) = try await bench.login()
        await bench.am.configure { $0.hasPushService = false }
        let body = try phone.answerBody(push).data
        let reply = try await bench.post(body, to: bench.base + "authenticate")
        #expect(reply.status == 404)
        let message = try JSON(parsing: reply.body)["message"]
        #expect(message == "Cannot find Push Notification Service.")
        await #expect(throws: PushError.self) { try await bench.login() }
        await #expect(throws: PushError.self) { try await bench.am.invitation(for: "jane") }
    }

    @Test(arguments: ["", "unregister", "Register", "register%20"])
    func `an action nobody knows isn't implemented`(action: String) async throws {
        #expect(try await Bench().post([:], to: action) == 501)
    }

    @Test(arguments: [HTTPRequest.Method.get, .put, .delete])
    func `only POST is allowed`(method: HTTPRequest.Method) async throws {
        let bench = Bench()
        let reply = try await bench.post(Data(), to: bench.base + "register", method: method)
        #expect(reply.status == 405)
    }

    @Test(arguments: [
        ("resource=1.0, protocol=1.0", 200), ("protocol=1.0,resource=1.0", 200),
        ("resource=1", 200),
        ("protocol=1.0", 200), ("resource=2.0, protocol=1.0", 404), ("resource=10", 404),
        ("resource", 400),
    ])
    func `the resource version is 1`(version: String, status: Int) async throws {
        let bench = Bench()
        let phone = try await bench.enrolled()
        let (_, push) = try await bench.login()
        let name = try #require(HTTPField.Name("accept-api-version"))
        let code = try await bench.post(
            phone.answerBody(push), to: "authenticate", headers: [name: version])
        #expect(code == status)
    }

    @Test(arguments: ["", "{", "[]", #"{"messageId":"a","messageId":"a"}"#, "{} {}", "{'a':1}"])
    func `a body that isn't one strict object is a bad request`(body: String) async throws {
        let bench = Bench()
        for action in ["register", "authenticate", "refresh"] {
            let reply = try await bench.post(Data(body.utf8), to: bench.base + action)
            #expect(reply.status == 400)
        }
    }

    @Test func `duplicate claims are refused though the MAC is right`() async throws {
        let bench = Bench()
        let phone = try Phone(scanning: await bench.am.enrollmentURI(for: "jane"))
        let claims = try JSON.object(phone.registrationClaims()).text
        let doubled = Data((claims.dropLast() + #","deviceId":"x"}"#).utf8)
        let header = try #require(phone.jwt([:]).split(separator: ".").first)
        let body: JSON = [
            "messageId": .string(try #require(phone.parameters["m"])),
            "jwt": .string("\(header).\(base64url(doubled)).AAAA"),
        ]
        #expect(try await bench.post(body, to: "register") == 500)
    }

    @Test func `the recorder keeps header fields and bodies as they came`() async throws {
        let bench = Bench()
        let phone = try Phone(scanning: await bench.am.enrollmentURI(for: "jane"))
        let body = try phone.registrationBody()
        let cookie = try phone.text("l")
        _ = try await bench.post(body, to: "register", headers: [.cookie: cookie])
        _ = try await bench.post([:], to: "nonsense")
        let exchanges = await bench.am.exchanges
        #expect(exchanges.map(\.status) == [200, 501])
        #expect(exchanges.first?.request.headerFields[.cookie] == "amlbcookie=01")
        #expect(exchanges.first?.body == body.data)
        #expect(exchanges.last?.request.path?.hasSuffix("_action=nonsense") == true)
    }

    @Test func `a forced status is given before the request is looked at, and used up`()
        async throws
    {
        let bench = Bench()
        let phone = try Phone(scanning: await bench.am.enrollmentURI(for: "jane"))
        await bench.am.force(status: 503, times: 2)
        await bench.am.force(status: 404)
        for status in [503, 503, 404, 200, 400] {
            #expect(try await bench.post(phone.registrationBody(), to: "register") == status)
        }
    }

    @Test func `behind a simulated network the simulator is any vendor's server`() async throws {
        let bench = Bench()
        let simulator: any VendorSimulator = bench.am
        let network = SimulatedTransport { await simulator.respond(to: $0, body: $1) }
        let phone = try Phone(scanning: await bench.am.enrollmentURI(for: "jane"))
        let reply = try await network.send(
            Endpoint(phone.text("r")).request(.post), body: phone.registrationBody().data)
        #expect(reply.response.status == .ok)
        let login = try await simulator.startLogin(of: "jane", asking: .confirm)
        #expect(try await simulator.status(of: login.id) == .waiting)
        #expect(await simulator.takePushes().count == 1)
    }
}
