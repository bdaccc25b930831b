import Foundation
import LocalServer
import PushCore
import Testing

extension PrivacyIDEATests {
    /// Two servers know nothing of each other, and may name their tokens alike.
    @Test func `a push of two servers with one serial is the one's whose key signed it`()
        async throws
    {
        let real = RealPrivacyIDEA(process: try await ServerProcess.running.value)
        let simulator = try await SimulatedPrivacyIDEA(.chosen)
        let home = try TemporaryDirectory()
        defer { home.remove() }
        let servers: [any PrivacyIDEAServer] = [real, simulator]
        let authorities = home.url.appendingPathComponent("authorities.pem")
        let certificates = try servers.map { try $0.authority.certificatePEM }
        try Data(certificates.joined(separator: "\n").utf8).write(to: authorities)
        let phone = try await TokenDevice(
            "phone", in: home.url.appendingPathComponent("phone"), trusting: authorities.path,
            noting: Transcript())
        try await phone.authenticator.deviceTokenChanged(.fcm("token-two-servers"))
        var enrollments: [Enrollment] = []
        for server in servers {
            try await server.set(.gateway(.firebase), for: "two-servers")
            let code = try await server.code(for: "two-servers", serial: "SAME0001")
            enrollments.append(try #require(try await phone.enroll(code.text)))
        }
        #expect(enrollments.map(\.serial) == ["SAME0001", "SAME0001"])
        for (server, enrollment) in zip(servers, enrollments) {
            let login = try await server.startLogin(of: "two-servers")
            let push = try #require(try await server.takePushes(to: "token-two-servers").first)
            let id = try #require(
                try await phone.receive(
                    push, is: "new: Example Bank, Log in as two-servers?"))
            #expect(id.enrollment == enrollment.id)
            try await phone.answer(id, .approve, is: "delivered")
            #expect(try await server.state(of: login) == "ACCEPT accept")
        }
        await simulator.stop()
    }
}
