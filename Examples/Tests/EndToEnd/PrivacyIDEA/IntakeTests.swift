import Foundation
import PushCore
import Testing

@testable import push_lab

/// The real server pushes by its own Firebase gateway, and `pushauth listen` takes what it sends.
extension PrivacyIDEATests {
    @Test func `what the server's Firebase gateway sends arrives at pushauth`() async throws {
        let user = "firebase-intake"
        let process = try await ServerProcess.running.value
        do {
            try await Self.listen(to: "fcm", as: user) { process, place in
                let url = try #require(URL(string: try place.text("url")))
                try await process.order("firebase http://127.0.0.1:\(url.port ?? 0)")
                try await process.defineFirebaseGateway(
                    user, account: try place.text("credentials"))
            }
        } catch {
            try await process.pushToSink()
            throw error
        }
        try await process.pushToSink()
    }

    /// Enrolls, logs in, and says yes to what was pushed.
    ///
    /// - Parameters:
    ///   - intake: How pushes come to `pushauth`.
    ///   - user: Whose they are.
    ///   - prepare: Defines a gateway by the user's name that sends there.
    /// - Throws: What fails.
    private static func listen(
        to intake: String, as user: String,
        _ prepare: (ServerProcess, _ place: JSON) async throws -> Void
    ) async throws {
        let process = try await ServerProcess.running.value
        let server = RealPrivacyIDEA(process: process)
        try await PushAuthSite.run { site in
            let authority = process.directory.appendingPathComponent("authority.pem").path
            try site.configure(
                "[server]\nauthorities = \"\(authority)\"\n"
                    + "[providers.privacyidea]\nlocal-hosts = true\n", trusting: false)
            let listening = try ListeningProcess(
                ["--\(intake)", "127.0.0.1:0", "--credentials", site.directory.path + "/push"],
                environment: site.environment)
            do {
                let event = try await listening.event("listening")
                try await prepare(process, try #require(event["intakes"]?[intake]))
                try await server.set(.gateway(.named(user)), for: user)
                let code = try await server.code(for: user, serial: nil)
                let enrolled = try await site.pushauth("enroll", code.text, "--yes")
                try #require(enrolled.exitCode == 0, "\(enrolled.errors)")
                let login = try await server.startLogin(of: user)
                let received = try await listening.event("received")
                #expect(received["intake"]?.string == intake && received["events"] == 1)
                let id = try await site.waiting()
                let answered = try await site.pushauth("approve", id, "--json")
                #expect(answered.exitCode == 0, "\(answered.errors)")
                #expect(try await server.state(of: login) == "ACCEPT accept")
                #expect(try await server.finish(login, typing: "") == "ACCEPT")
            } catch {
                await listening.kill()
                throw error
            }
            #expect(await listening.stop().code == 130)
        }
    }
}
