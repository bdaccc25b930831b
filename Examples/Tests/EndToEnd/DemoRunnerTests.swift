import TerminalIO
import Testing

@testable import push_lab

@Suite struct `A demo with a flow that goes wrong` {
    /// A vendor whose second flow of three sees something else than it expects.
    private struct Lab: VendorLab {
        struct Broken: Error, CustomStringConvertible { let description = "it broke" }

        let name = "acme"

        var flows: [DemoFlow] {
            [
                DemoFlow("first", expecting: "yes") { "yes" },
                DemoFlow("second", expecting: "yes") { throw Broken() },
                DemoFlow("third", expecting: "yes") { "yes" },
            ]
        }

        func close() async {}
    }

    private func rows(keepsGoing: Bool) async -> [DemoRow] {
        let runner = DemoRunner(
            labs: [.init(name: "acme") { _ in Lab() }], log: ExchangeLog(isVisible: false),
            progress: DemoProgress(Terminal.error), keepsGoing: keepsGoing)
        return await runner.run()
    }

    @Test func `stops there, and says what was seen`() async {
        let rows = await rows(keepsGoing: false)
        #expect(rows.map(\.result) == [.asExpected, .other, .skipped])
        #expect(rows[1].seen == "it broke")
    }

    @Test func `goes on if it was told to`() async {
        #expect(await rows(keepsGoing: true).map(\.result) == [.asExpected, .other, .asExpected])
    }
}
