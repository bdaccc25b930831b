import Foundation
import LocalServer
import PushCore
import Testing

extension PrivacyIDEATests {
    /// The real server records a challenge once its gateway has taken the push, and a phone may be faster.
    @Test func `a push that is here before the server has recorded its challenge is answered`()
        async throws
    {
        let user = "early-push"
        let token = "token-\(user)"
        let process = try await ServerProcess.running.value
        let real = RealPrivacyIDEA(process: process)
        let home = try TemporaryDirectory()
        defer { home.remove() }
        let authorities = home.url.appendingPathComponent("authorities.pem")
        try Data(real.authority.certificatePEM.utf8).write(to: authorities)
        let phone = try await TokenDevice(
            "phone", in: home.url.appendingPathComponent("phone"), trusting: authorities.path,
            noting: Transcript())
        try await phone.authenticator.deviceTokenChanged(.fcm(token))
        try await real.set(.gateway(.firebase), for: user)
        let code = try await real.code(for: user, serial: nil)
        let enrollment = try #require(try await phone.enroll(code.text))
        let (hasPushed, gate) = await process.sink.hold(token)
        async let login = real.startLogin(of: user)
        await hasPushed.wait()
        let push = try #require(try await real.takePushes(to: token).first)
        let question = "Example Bank, Log in as \(user)?"
        let id = try #require(try await phone.receive(push, is: "new: \(question)"))
        try await phone.poll(enrollment, is: "")
        _ = try await phone.authenticator.challenge(id)
        await gate.open()
        let started = try await login
        try await phone.poll(enrollment, is: "known: \(question)")
        try await phone.answer(id, .approve, is: "delivered")
        #expect(try await real.state(of: started) == "ACCEPT accept")
    }
}
