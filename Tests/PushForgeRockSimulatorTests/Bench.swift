import Foundation
import HTTPTypes
import PushCore
import PushForgeRockSimulator
import PushTesting
import Testing

/// A simulator on a clock that the test moves, with a way to speak HTTP to it.
struct Bench {
    let am: ForgeRockSimulator
    let clock = ManualClock(Date(timeIntervalSince1970: 1_760_000_000))
    let base: String

    init(
        _ generation: ForgeRockSimulator.Generation = .c, seed: UInt64 = 1,
        _ change: (inout ForgeRockSimulator.Configuration) -> Void = { _ in }
    ) {
        var configuration = ForgeRockSimulator.Configuration(
            generation: generation, realm: "/alpha", issuer: "Example Bank", clock: clock,
            random: SeededRandom(seed: seed))
        change(&configuration)
        am = ForgeRockSimulator(configuration)
        base = "https://am.example.com:8443/am/json/alpha/push/sns/message?_action="
    }

    func post(
        _ body: JSON, to action: String, headers: HTTPFields = [:]
    ) async throws -> Int {
        try await post(body.data, to: base + action, headers: headers).status
    }

    func post(
        _ body: Data, to url: String, method: HTTPRequest.Method = .post,
        headers: HTTPFields = [:]
    ) async throws -> SimulatedReply {
        await am.answer(to: try Endpoint(url).request(method, headers: headers), body)
    }

    /// A user's registered phone.
    func enrolled(
        _ user: String = "jane", change: (inout Phone) -> Void = { _ in }
    ) async throws -> Phone {
        var phone = try Phone(scanning: await am.enrollmentURI(for: user))
        change(&phone)
        #expect(try await post(phone.registrationBody(), to: "register") == 200)
        return phone
    }

    /// A login and its push.
    func login(
        _ user: String = "jane", asking kind: SimulatedLogin.Kind = .confirm,
        spoiledBy fault: ForgeRockSimulator.BadPush? = nil
    ) async throws -> (login: SimulatedLogin, push: SimulatedPush) {
        let login = try await am.startLogin(of: user, asking: kind, spoiledBy: fault)
        return (login, try #require(await am.takePushes().first))
    }

    /// Answers a push by a phone, and returns the status of the reply.
    func answer(
        _ push: SimulatedPush, by phone: Phone, _ more: JSON.Object = [:]
    ) async throws -> Int {
        try await post(phone.answerBody(push, more), to: "authenticate")
    }
}
