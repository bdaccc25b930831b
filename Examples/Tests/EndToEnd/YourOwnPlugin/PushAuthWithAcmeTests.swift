import PushAcmeSimulator
import PushCore
import PushTesting
import Testing

/// `pushauth` as an executable of one's own, with a vendor that this repository doesn't have.
@Suite(.timeLimit(.minutes(5))) struct `pushauth with Acme` {
    private static let program = "pushauth-with-acme"

    private let simulator = AcmeSimulator()

    private func run(_ test: (PushAuthSite) async throws -> Void) async throws {
        try await PushAuthSite.run(with: simulator, as: Self.program, test)
    }

    @Test(arguments: [
        ("approve", SimulatedLogin.Status.approved), ("deny", .denied),
    ])
    func `enrolls, receives a login and answers it`(
        answer: String, status: SimulatedLogin.Status
    ) async throws {
        try await run { site in
            let enrolled = try await site.enroll(with: simulator, as: "jane")
            #expect(enrolled["provider"] == "acme")
            let login = try await simulator.startLogin(of: "jane", asking: .confirm)
            _ = try await site.deliver(from: simulator)
            let confirmation = answer == "approve" ? ["--yes"] : []
            let answered = try await site.pushauth([answer, site.waiting()] + confirmation)
            #expect(answered.exitCode == 0, "\(answered.errors)")
            #expect(try await simulator.status(of: login.id) == status)
        }
    }

    @Test func `inspects Acme's push after all others'`() async throws {
        try await run { site in
            try await site.enroll(with: simulator, as: "jane")
            _ = try await simulator.startLogin(of: "jane", asking: .confirm)
            let push = try #require(await simulator.takePushes().first)
            let result = try await site.pushauth(
                "inspect", "--json", input: String(decoding: push.payload, as: UTF8.self))
            #expect(result.exitCode == 0, "\(result.errors)")
            let view = try result.json["providers"]?.array?.last
            #expect(view?["provider"] == "acme" && view?["verified"] == true)
            let other = try await site.pushauth("inspect", input: "{\"a\":1}")
            #expect(other.output.contains("it wants acme beside device and mac"))
        }
    }

    @Test func `reads Acme's section, and a further one`() async throws {
        try await run { site in
            try site.configure("[providers.acme]\nenabled = false\n[providers.a2]\nvendor = 'acme'")
            let doctor = try await site.pushauth("doctor", "--offline", "--json")
            let check = try doctor.lines.first { $0["check"] == "configuration" }
            #expect(check?["text"]?.string?.hasSuffix("privacyidea, a2.") == true)
            try site.configure("[providers.acme]\nhosts = true\n")
            let wrong = try await site.pushauth("list")
            #expect(wrong.exitCode == 5)
            #expect(wrong.errors.contains("[providers.acme]: unknown: hosts."), "\(wrong.errors)")
        }
    }

    @Test func `Acme's server tells its code, and that a login without a device waits`()
        async throws
    {
        let result = try await Program("acme-server").run([], text: "\n")
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(result.output.isEmpty)
        #expect(result.errors.hasPrefix("acme:{"), "\(result.errors)")
        #expect(result.errors.hasSuffix("}\nwaiting\n"), "\(result.errors)")
    }

    @Test func `the program without Acme knows nothing of it`() async throws {
        try await PushAuthSite.run { site in
            try site.configure("[providers.acme]\n")
            let result = try await site.pushauth("list")
            #expect(result.exitCode == 5)
            #expect(result.errors.contains("there is no vendor 'acme'"), "\(result.errors)")
        }
    }
}
