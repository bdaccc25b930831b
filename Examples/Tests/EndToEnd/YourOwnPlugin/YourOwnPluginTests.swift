import Testing

@Suite struct `your-own-plugin` {
    private let program = Program("your-own-plugin")

    @Test func `shows Acme's flows, and what came of each`() async throws {
        let result = try await program.run([])
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(
            result.output == """
                enroll by code              active
                push, approved              delivered, approved
                push, denied                delivered, denied
                reply lost, sent again      unknown, then delivered, approved
                answered on another device  over, approved
                forged push                 untrusted, nothing kept

                """)
    }

    @Test func `says how it is used`() async throws {
        let help = try await program.run(["--help"])
        #expect(help.exitCode == 0)
        #expect(help.output.hasPrefix("usage: your-own-plugin"))
        let wrong = try await program.run(["--hurry"])
        #expect(wrong.exitCode == 64)
        #expect(wrong.output.isEmpty)
        #expect(wrong.errors.hasPrefix("usage: your-own-plugin"))
    }
}
