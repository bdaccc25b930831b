import Foundation
import PushCore
import PushForgeRockSimulator
import PushTesting
import Testing

@testable import push_lab

/// What a balancer, senders and a service manager see of a process of a fleet.
@Suite(.serialized, .timeLimit(.minutes(4))) struct `a process behind a balancer` {
    /// Runs a test with one process behind haproxy, and a user `one` on the device `one`.
    private func run(
        _ test: (FleetFarm, ListeningProcess) async throws -> Void
    ) async throws {
        try await FleetFarm.run(on: "etcd", with: ["two"]) { farm in
            try await farm.enroll(on: ["one"])
            let process = try farm.process(0)
            do {
                _ = try await process.event("listening")
                try await farm.reachable()
                try await test(farm, process)
            } catch {
                await process.kill()
                throw error
            }
            await process.kill()
        }
    }

    /// The tokens of a device.
    private func tokens(
        of device: String, in farm: FleetFarm
    ) async throws -> (fcm: String, apns: String) {
        let lines = try await farm.fleet.pushauth("device", "list", "--json").lines
        let line = try #require(lines.first { $0["device"]?.string == device })
        return (line["fcm"]?.string ?? "", line["apns"]?.string ?? "")
    }

    /// What Google's own client says to messages to tokens.
    private func firebase(_ tokens: String..., in farm: FleetFarm) async throws -> [JSON] {
        let messages: [JSON] = tokens.map { ["token": .string($0), "data": ["n": "1"]] }
        return try await PythonClient("fcm").run(
            [farm.account, farm.origin + farm.messages()], JSON.array(messages).text,
            environment: ["REQUESTS_CA_BUNDLE": farm.authority])
    }

    /// What a client of Apple's service says to so many notifications to a token; the last line has the
    /// number of connections.
    private func apple(_ token: String, count: Int = 1, in farm: FleetFarm) async throws -> [JSON] {
        let notifications: [JSON] = (0..<count).map {
            ["token": .string(token), "payload": ["aps": [:], "n": .integer($0)]]
        }
        return try await PythonClient("apns").run(
            [farm.apns, "20"], JSON.array(notifications).text,
            environment: ["SSL_CERT_FILE": farm.authority])
    }

    @Test func `a connection of APNs ends after 1,000 requests, and its sender goes on`()
        async throws
    {
        try await run { farm, _ in
            let token = try await tokens(of: "one", in: farm).apns
            var replies = try await apple(token, count: 1100, in: farm)
            let connections = replies.popLast()?["connections"]?.integer ?? 0
            #expect(connections >= 2)
            #expect(replies.count == 1100 && replies.allSatisfy { $0["status"] == "200" })
        }
    }

    @Test func `the tokens of a device that was removed are unregistered`() async throws {
        try await run { farm, _ in
            let (fcm, apns) = try await tokens(of: "two", in: farm)
            #expect(try await firebase(fcm, in: farm).first?["name"] != nil)
            #expect(try await apple(apns, in: farm).first?["status"] == "200")
            let removed = try await farm.fleet.pushauth("device", "remove", "two")
            try #require(removed.exitCode == 0, "\(removed.errors)")
            let refused = try await firebase(fcm, in: farm).first?["error"]?.string
            #expect(refused?.hasSuffix(".UnregisteredError") == true)
            let reply = try await apple(apns, in: farm).first
            #expect(reply?["status"] == "410" && reply?["reason"] == "Unregistered")
        }
    }

    @Test func `half a request is nothing, and the next one is taken`() async throws {
        try await run { farm, process in
            let place = String(farm.ports.fcm(at: HAProxy.addresses[0]).dropFirst("https://".count))
            let half = "POST \(try farm.messages()) HTTP/1.1\r\nHost: x\r\nContent-Type: "
            for text in [
                half, half + "application/json\r\nContent-Length: 400\r\n\r\n{\"message\":",
            ] {
                // It closes the connection once its input ends.
                _ = try await Program(at: URL(fileURLWithPath: "/usr/bin/env")).run(
                    ["openssl", "s_client", "-quiet", "-no_ign_eof", "-connect", place], text: text)
            }
            let token = try await tokens(of: "one", in: farm).fcm
            #expect(try await firebase(token, in: farm).first?["name"] != nil)
            let events = await process.events.compactMap { $0["event"]?.string }
            #expect(events == ["listening", "foreign"])
            #expect(try await farm.ready(0).status == 200)
        }
    }

    @Test func `while its store is away, it isn't ready, and pushes are refused`() async throws {
        try await run { farm, _ in
            let token = try await tokens(of: "one", in: farm).fcm
            let body: JSON = ["message": ["token": .string(token), "data": ["n": "1"]]]
            farm.engine.pause()
            defer { farm.engine.proceed() }
            try await farm.wait("the process isn't ready") {
                try await farm.ready(0).status == 503
            }
            #expect(try await farm.ready(0).body.contains("store"))
            let away = try await push(body, to: farm, at: HAProxy.addresses[0])
            #expect(away == 503)
            try await farm.wait("haproxy has nobody to send to") {
                try await farm.web("/ready").status == 503
            }
            farm.engine.proceed()
            try await farm.reachable()
            #expect(try await push(body, to: farm, at: HAProxy.addresses[0]) == 200)
            let login = try await farm.simulator.startLogin(of: "one", asking: .confirm)
            let sender = try SteadySender(
                account: farm.account, url: farm.origin + farm.messages(), trusting: farm.authority)
            for push in await farm.simulator.takePushes() { try sender.send(push, as: login.id) }
            try await farm.wait("the login is approved") {
                try await farm.simulator.status(of: login.id) == .approved
            }
            await sender.kill()
        }
    }

    @Test func `while haproxy has no process, Google's client sends again until one is back`()
        async throws
    {
        try await FleetFarm.run(on: "etcd") { farm in
            try await farm.enroll(on: ["one"])
            // Not even an access token is to be had, and what comes is a page for people.
            let page = try await farm.web(try farm.messages())
            #expect(page.status == 503 && page.body.contains("<html>"), "\(page)")
            let sender = try SteadySender(
                account: farm.account, url: farm.origin + farm.messages(), trusting: farm.authority)
            let heard = Heard()
            let listening = Task { for await event in sender.events { await heard.note(event) } }
            defer { listening.cancel() }
            var logins = [try await login(in: farm, by: sender)]
            try await farm.wait("the sender gets the page") { await heard.pages > 0 }
            let process = try farm.process(0)
            try await farm.wait("the push is taken", within: .seconds(60)) {
                await heard.accepted == 1
            }
            // The same with an access token that is good.
            await process.kill()
            try await farm.wait("haproxy has nobody to send to") {
                try await farm.web("/ready").status == 503
            }
            let pages = await heard.pages
            logins.append(try await login(in: farm, by: sender))
            try await farm.wait("the sender gets the page again") { await heard.pages > pages }
            let again = try farm.process(0)
            try await farm.wait("the push is taken", within: .seconds(60)) {
                await heard.accepted == 2
            }
            #expect(await heard.failed == 0)
            for id in logins {
                try await farm.wait("the login is approved") {
                    try await farm.simulator.status(of: id) == .approved
                }
            }
            await sender.kill()
            await again.kill()
        }
    }

    /// Begins a login, whose push a sender gets.
    private func login(
        in farm: FleetFarm, by sender: SteadySender
    ) async throws -> SimulatedLogin.ID {
        let login = try await farm.simulator.startLogin(of: "one", asking: .confirm)
        for push in await farm.simulator.takePushes() { try sender.send(push, as: login.id) }
        return login.id
    }

    /// What a sender has heard.
    private actor Heard {
        private(set) var pages = 0
        private(set) var accepted = 0
        private(set) var failed = 0

        func note(_ event: SteadySender.Event) {
            switch event {
            case .refused(503): pages += 1
            case .refused: break
            case .accepted: accepted += 1
            case .failed: failed += 1
            }
        }
    }

    /// What a process says to a message, with an access token of its own.
    private func push(_ body: JSON, to farm: FleetFarm, at address: String) async throws -> Int64 {
        let replies = try await PythonClient("access_tokens").run(
            [farm.account, farm.messages(), body.text, farm.ports.fcm(at: address)], "",
            environment: ["REQUESTS_CA_BUNDLE": farm.authority])
        return try #require(replies.first?["status"]?.integer)
    }
}
