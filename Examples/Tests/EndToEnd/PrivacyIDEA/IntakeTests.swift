import Foundation
import PushCore
import Testing

@testable import push_lab

/// The real server pushes by its own gateways, and `pushauth listen` takes what they send.
extension PrivacyIDEATests {
    @Test func `what the server's Firebase gateway sends arrives at pushauth`() async throws {
        let user = "firebase-intake"
        let process = try await ServerProcess.running.value
        do {
            try await Self.listen(to: "fcm", as: user) { process, place in
                let url = try #require(URL(string: try place.json.text("url")))
                try await process.order("firebase http://127.0.0.1:\(url.port ?? 0)")
                try await process.defineFirebaseGateway(
                    user, account: try place.json.text("credentials"))
            }
        } catch {
            try await process.pushToSink()
            throw error
        }
        try await process.pushToSink()
    }

    @Test func `what the server's HTTP gateway posts arrives at pushauth`() async throws {
        let user = "http-intake"
        let process = try await ServerProcess.running.value
        // The gateway came with that release.
        guard process.release >= .v314 else { return }
        // An intake by HTTP makes no device token, and the server pushes to none but those it knows.
        try await Self.listen(to: "http", as: user, telling: "http-device") { process, place in
            let secret = try String(contentsOf: place.credentials("http-secret"), encoding: .utf8)
            let words = secret.trimmingCharacters(in: .whitespacesAndNewlines)
            try await process.defineHTTPGateway(
                user, url: try place.json.text("url"),
                more: ["header.Authorization": .string("Bearer \(words)")])
        }
    }

    /// Where `pushauth` takes pushes.
    private struct Place {
        let json: JSON
        let directory: URL

        /// A file of the sender's credentials.
        func credentials(_ name: String) -> URL { directory.appendingPathComponent(name) }
    }

    /// Enrolls, logs in, and says yes to what was pushed.
    ///
    /// - Parameters:
    ///   - intake: How pushes come to `pushauth`.
    ///   - user: Whose they are.
    ///   - token: The device token to tell, where the intake makes none.
    ///   - prepare: Defines a gateway by the user's name that sends there.
    /// - Throws: What fails.
    private static func listen(
        to intake: String, as user: String, telling token: String? = nil,
        _ prepare: (ServerProcess, Place) async throws -> Void
    ) async throws {
        let process = try await ServerProcess.running.value
        let server = RealPrivacyIDEA(process: process)
        try await PushAuthSite.run { site in
            let authority = process.directory.appendingPathComponent("authority.pem").path
            try site.configure(
                "[server]\nauthorities = \"\(authority)\"\n"
                    + "[providers.privacyidea]\nlocal-hosts = true\n", trusting: false)
            if let token { _ = try await site.pushauth("token", "set", "--fcm", token) }
            let credentials = site.directory.appendingPathComponent("push")
            let listening = try ListeningProcess(
                ["--\(intake)", "127.0.0.1:0", "--credentials", credentials.path],
                environment: site.environment)
            do {
                let event = try await listening.event("listening")
                let place = try #require(event["intakes"]?[intake])
                try await prepare(process, Place(json: place, directory: credentials))
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
