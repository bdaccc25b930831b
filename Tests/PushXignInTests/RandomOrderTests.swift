import Testing

/// Events in random orders drive the real authenticator and the simulator, and after each what the
/// app sees is compared with a small model of `docs/vendors/xignin-oxrw.md#at-the-device`.
@Suite struct RandomOrderTests {
    @Test(arguments: 0..<300)
    func `no order of events breaks the table`(seed: Int) async throws {
        let run = try await RandomRun(seed: UInt64(seed))
        try await run.play()
        #expect(run.findings.isEmpty, "Seed \(seed): \(run.findings) after \(run.trace)")
    }
}
