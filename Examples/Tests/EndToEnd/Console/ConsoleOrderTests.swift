import Foundation
import HTTPTypes
import PushCore
import PushTesting
import Testing

@testable import push_lab

/// The log has the order in which things happened at the vendor.
@Suite(.timeLimit(.minutes(10))) struct ConsoleOrderTests {
    @Test func `an older login's end stands before the next one's beginning`() async throws {
        let vendor = SlowVendor()
        let console = console(of: vendor)
        let place = try #require(await console.vendor("acme"))
        let first = try await console.logIn("jane", at: place, asking: .confirm)
        await vendor.approve(first.id)
        _ = try await console.logIn("jane", at: place, asking: .confirm)
        #expect(await told(by: console) == ["began", "logged in", "began"])
    }

    @Test func `an answer stands before what it ended, whoever looks meanwhile`() async throws {
        let vendor = SlowVendor()
        let console = console(of: vendor)
        let place = try #require(await console.vendor("acme"))
        let login = try await console.logIn("jane", at: place, asking: .confirm)
        let request = HTTPRequest(method: .post, scheme: nil, authority: nil, path: "/answer")
        async let reply = console.answer(request, Data(login.id.utf8), at: place)
        // The login is over, and its answer isn't noted yet.
        await vendor.answered()
        async let look: Void = console.look()
        async let next = console.logIn("john", at: place, asking: .confirm)
        await vendor.letGo()
        _ = try await (reply, look, next)
        #expect(await told(by: console) == ["began", "POST", "logged in", "began"])
    }

    private func console(of vendor: SlowVendor) -> Console {
        Console(
            [
                ConsoleVendor(
                    name: "acme", simulator: vendor, kinds: [.confirm],
                    configuration: { _ in "" }, devices: { _ in [] },
                    reading: { RequestReading("answer", of: $0, $1) }, identifiers: { _ in [] },
                    cancel: nil, expire: { _ in [:] })
            ], sender: PushBox(), hold: {})
    }

    /// Logins and exchanges, oldest first.
    private func told(by console: Console) async -> [String] {
        await console.events.reversed().compactMap { event in
            ["began", "logged in", "POST"].first { event.text.contains($0) }
        }
    }
}

/// A vendor that has decided before it answers.
private actor SlowVendor: VendorSimulator {
    nonisolated let name = "Acme"
    private var count = 0
    private var over: Set<String> = []
    private var reply: CheckedContinuation<Void, Never>?
    private var watcher: CheckedContinuation<Void, Never>?

    func approve(_ login: String) { over.insert(login) }

    /// Waits until a request was decided.
    func answered() async {
        if reply == nil { await withCheckedContinuation { watcher = $0 } }
    }

    func letGo() {
        reply?.resume()
        reply = nil
    }

    func respond(
        to request: HTTPRequest, body: Data
    ) async -> (response: HTTPResponse, body: Data) {
        approve(String(decoding: body, as: UTF8.self))
        await withCheckedContinuation {
            reply = $0
            watcher?.resume()
        }
        return (HTTPResponse(status: .ok), Data())
    }

    func startLogin(
        of user: String, asking kind: SimulatedLogin.Kind
    ) async throws(PushError) -> SimulatedLogin {
        count += 1
        return SimulatedLogin(id: "login-\(count)")
    }

    func status(of login: SimulatedLogin.ID) async throws(PushError) -> SimulatedLogin.Status {
        over.contains(login) ? .approved : .waiting
    }

    func move(to origin: String) {}
    func takePushes() -> [SimulatedPush] { [] }
    func invitation(for user: String) throws(PushError) -> Invitation {
        throw PushError(.unsupported, "Nobody is invited here.")
    }
}
