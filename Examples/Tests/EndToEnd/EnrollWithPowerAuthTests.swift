import Testing

@Suite struct `enroll-with-powerauth` {
    private let program = Program("enroll-with-powerauth")

    @Test func `enrolls by code, mistypes the PIN once, and approves`() async throws {
        let result = try await program.run([])
        #expect(result.exitCode == 0, "\(result.errors)")
        var lines = result.output.split(separator: "\n").map(String.init)
        let comparison = try #require(lines.firstIndex { $0.hasPrefix("Compare with your bank: ") })
        let digits = lines.remove(at: comparison).split(separator: " ").last ?? ""
        #expect(digits.count == 8 && digits.allSatisfy(\.isNumber))
        #expect(
            lines == [
                "Join mobile.powerauth.example?",
                "Choose a PIN.",
                "Ready.",
                "Confirm login: Do you want to sign in to the internet banking?",
                "Channel: Web",
                "Enter your PIN.",
                "Wrong PIN, 4 attempts left.",
                "Enter your PIN.",
                "The answer: delivered.",
                "The bank says: approved.",
            ])
    }

    @Test func `says how it is used`() async throws {
        let result = try await program.run(["--hurry"])
        #expect(result.exitCode == 64)
        #expect(result.output.isEmpty)
        #expect(result.errors == "usage: enroll-with-powerauth\n")
    }
}
