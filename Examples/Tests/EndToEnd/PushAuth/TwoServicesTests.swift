import Foundation
import LocalServer
import PushCore
import PushForgeRockSimulator
import PushTesting
import PushXignInSimulator
import Testing

@testable import PushAuthCommand
@testable import push_lab

/// `pushauth` with an account that is reached by APNs, and one that is reached by Firebase.
@Suite(.timeLimit(.minutes(5))) struct `pushauth with two push services` {
    private let am = ForgeRockSimulator()
    private let manager = XignInSimulator(.init(identifier: "idm-example"))

    private func run(_ test: (PushAuthSite) async throws -> Void) async throws {
        try await PushAuthSite.run(
            with: am,
            configuredBy: { _ in
                ["forgerock", "xignin"].map { "[providers.\($0)]\nlocal-hosts = true\n" }.joined()
            }
        ) { site in
            let server = try await site.serve { [manager] in
                await manager.respond(to: $0, body: $1)
            }
            try await manager.move(to: server.origin)
            do {
                try await test(site)
            } catch {
                await server.stop()
                throw error
            }
            await server.stop()
        }
    }

    /// Enrolls jane at both.
    private func enroll(at site: PushAuthSite) async throws {
        for invitation in [
            try await am.invitation(for: "jane"), await manager.invitation(for: "jane"),
        ] {
            let result = try await site.pushauth(
                ["enroll", try #require(invitation.scannedText), "--yes", "--pin-env", "PIN"],
                environment: ["PIN": PushAuthSite.pin])
            #expect(result.exitCode == 0, "\(result.errors)")
        }
    }

    /// What ForgeRock and XignIn know of jane's device.
    private func known() async -> [DeviceToken?] {
        await am.devices(of: "jane").map(\.deviceToken)
            + manager.devices(of: "jane").map(\.deviceToken)
    }

    private func apns(_ byte: String) -> (hex: String, token: DeviceToken) {
        let hex = String(repeating: byte, count: 32)
        return (hex, .apns(hex: hex, isSandbox: false))
    }

    @Test func `a token of each service stays, and a vendor has that of its own`() async throws {
        try await run { site in
            #expect(try await site.pushauth("token", "set", "--fcm", "one").exitCode == 0)
            let first = apns("11")
            #expect(try await site.pushauth("token", "set", "--apns", first.hex).exitCode == 0)
            try await enroll(at: site)
            #expect(await known() == [first.token, .fcm("one")])

            let second = apns("22")
            #expect(try await site.pushauth("token", "set", "--apns", second.hex).exitCode == 0)
            #expect(await known() == [second.token, .fcm("one")])
            #expect(try await site.pushauth("token", "set", "--fcm", "two").exitCode == 0)
            #expect(await known() == [second.token, .fcm("two")])

            let list = try await site.pushauth("list", "--json").lines
            #expect(list.map { $0["deviceToken"] } == ["current", "current"])
            #expect(
                try DeviceTokenFile(besides: site.store.path).read().chosen == [
                    .fcm: .fcm("two"), .apns: second.token,
                ])
        }
    }

    @Test func `clear removes the tokens of both`() async throws {
        try await run { site in
            for token in [["--fcm", "one"], ["--apns", apns("11").hex]] {
                #expect(try await site.pushauth(["token", "set"] + token).exitCode == 0)
            }
            try await enroll(at: site)
            let cleared = try await site.pushauth("token", "clear", "--json")
            // AM has no call for it, which is said.
            #expect(cleared.exitCode == 1, "\(cleared.errors)")
            #expect(await manager.devices(of: "jane").map(\.deviceToken) == [nil])
            let states = try cleared.lines.map { [$0["provider"], $0["deviceToken"]] }
            #expect(Set(states) == [["forgerock", "none"], ["xignin", "current"]])
            #expect(try DeviceTokenFile(besides: site.store.path).read().chosen.isEmpty)
            // Nothing is left to give to an account that is enrolled now.
            let text = try #require(try await am.invitation(for: "mallory").scannedText)
            let enrolled = try await site.pushauth("enroll", text, "--yes")
            #expect(enrolled.exitCode != 0)
            #expect(enrolled.errors.contains("pushauth token set"), "\(enrolled.errors)")
        }
    }

    @Test func `listen with the other intake takes the token of the first away`() async throws {
        try await run { site in
            let first = try await listening(site, "--apns")
            let code = try #require(try await am.invitation(for: "jane").scannedText)
            #expect(try await site.pushauth("enroll", code, "--yes").exitCode == 0)
            let file = DeviceTokenFile(besides: site.store.path)
            // AM writes it in capitals.
            let told = DeviceToken.apns(
                hex: try #require(try file.read().apns).uppercased(), isSandbox: false)
            #expect(await known() == [told])
            #expect(await first.stop().code == 130)

            // The vendor prefers Apple's, which reaches nobody now.
            let second = try await listening(site, "--fcm")
            let fcm = try #require(try file.read().fcm)
            #expect(await known() == [.fcm(fcm)])
            let other = try #require(await manager.invitation(for: "jane").scannedText)
            let enrolled = try await site.pushauth(
                ["enroll", other, "--yes", "--pin-env", "PIN"],
                environment: ["PIN": PushAuthSite.pin])
            #expect(enrolled.exitCode == 0, "\(enrolled.errors)")
            #expect(await known() == [.fcm(fcm), .fcm(fcm)])
            #expect(await second.stop().code == 130)

            // And back: XignIn takes Firebase's alone, so it has none then.
            let third = try await listening(site, "--apns")
            #expect(await known() == [told, nil])
            #expect(await third.stop().code == 130)
        }
    }

    @Test func `a token that is set takes away those that listen made`() async throws {
        try await run { site in
            let process = try await listening(site, "--fcm")
            try await enroll(at: site)
            let made = try #require(
                try DeviceTokenFile(besides: site.store.path).read().fcm)
            #expect(await known() == [.fcm(made), .fcm(made)])
            #expect(await process.stop().code == 130)
            let mine = apns("44")
            let set = try await site.pushauth("token", "set", "--apns", mine.hex)
            #expect(set.exitCode == 0, "\(set.errors)")
            #expect(await known() == [mine.token, nil])
            // One more that is chosen stands beside it.
            #expect(try await site.pushauth("token", "set", "--fcm", "mine").exitCode == 0)
            #expect(await known() == [mine.token, .fcm("mine")])
        }
    }

    /// `pushauth listen` with an intake, once the vendors were told.
    private func listening(
        _ site: PushAuthSite, _ intake: String
    ) async throws -> ListeningProcess {
        let process = try ListeningProcess(
            [intake, "127.0.0.1:0", "--credentials", site.directory.path + "/push"],
            environment: site.environment)
        _ = try await process.event("listening")
        return process
    }

    @Test(arguments: [false, true])
    func `listen with both intakes tells each vendor the token of the service it takes`(
        isEnrolledBefore: Bool
    ) async throws {
        try await run { site in
            let other = site.directory.path + "/other"
            if isEnrolledBefore {
                // Both know tokens of intakes that are gone.
                _ = try await site.pushauth("token", "set", "--fcm", "old")
                _ = try await site.pushauth("token", "set", "--apns", apns("33").hex)
                try await enroll(at: site)
                _ = try await site.pushauth("token", "clear")
            }
            let process = try ListeningProcess(
                ["--fcm", "127.0.0.1:0", "--apns", "127.0.0.1:0", "--credentials", other],
                environment: site.environment)
            _ = try await process.event("listening")
            if !isEnrolledBefore { try await enroll(at: site) }
            let made = try DeviceTokenFile(besides: site.store.path).read()
            let fcm = try #require(made.fcm)
            let hex = try #require(made.apns)
            let tokens = await known()
            #expect(tokens.last == .fcm(fcm))
            guard case .apns(let told, _)?? = tokens.first else {
                Issue.record("AM has no token of APNs: \(tokens)")
                return
            }
            #expect(told.lowercased() == hex)
            #expect(await process.stop().code == 130)
        }
    }
}
