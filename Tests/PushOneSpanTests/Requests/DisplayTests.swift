import Foundation
import PushCore
import PushOneSpan
import PushOneSpanSimulator
import PushTesting
import Testing

/// What the user approves is what the user saw: by the uniform door and by the vendor's.
@Suite(.timeLimit(.minutes(10))) struct DisplayTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let display: OneSpanSimulator.DisplayContent
        let problem: DisplayProblem
        let shown: [Challenge.Field]

        var testDescription: String { "\(problem)" }
    }

    private static func fields(_ fields: [(key: [UInt8], value: [UInt8])]) -> [UInt8] {
        let counted = { (text: [UInt8]) in
            [UInt8(text.count >> 8), UInt8(truncatingIfNeeded: text.count)] + text
        }
        return [UInt8(truncatingIfNeeded: fields.count)]
            + fields.flatMap { counted($0.key) + counted($0.value) }
    }

    private static let amount = (key: Array("Amount".utf8), value: Array("1.00 EUR".utf8))
    private static let shownAmount = Challenge.Field("Amount", "1.00 EUR")

    static let cases: [Case] = [
        // Nothing to show, and a form that nobody knows.
        Case(display: .raw(form: 0, data: []), problem: .missing, shown: []),
        Case(display: .raw(form: 9, data: [1, 2, 3]), problem: .unknownForm, shown: []),
        // Cut off, followed by something, not UTF-8.
        Case(
            display: .raw(form: 1, data: [2] + fields([amount]).dropFirst() + [0, 2, 0x54]),
            problem: .unreadable, shown: [shownAmount]),
        Case(
            display: .raw(form: 1, data: fields([amount]) + [7]), problem: .unreadable,
            shown: [shownAmount]),
        Case(
            display: .raw(form: 1, data: fields([amount, (Array("To".utf8), [0xFF, 0x44])])),
            problem: .unreadable, shown: [shownAmount, .init("To", "\u{FFFD}D")]),
        Case(
            display: .raw(form: 2, data: [0x41, 0xFE, 0x42]), problem: .unreadable,
            shown: [.init("", "A\u{FFFD}B")]),
        // Without a label, or with one that nobody sees.
        Case(
            display: .raw(form: 1, data: fields([amount, ([], Array("DE89".utf8))])),
            problem: .unlabeled, shown: [shownAmount, .init("", "DE89")]),
        Case(
            display: .fields([.init("Amount", "1.00 EUR"), .init("\u{200B}", "DE89")]),
            problem: .unlabeled, shown: [shownAmount, .init("", "DE89")]),
        Case(
            display: .fields([.init("Amount", "1.00 EUR"), .init("To", "\u{2060}\u{200B}")]),
            problem: .unreadable, shown: [shownAmount, .init("To", "")]),
        // Too many, and too long.
        Case(
            display: .raw(form: 1, data: fields(Array(repeating: amount, count: 17))),
            problem: .tooMany, shown: Array(repeating: shownAmount, count: 16)),
        Case(
            display: .raw(
                form: 1,
                data: fields([
                    amount, (Array("To".utf8), [UInt8](repeating: 0x78, count: 257)),
                ])),
            problem: .tooLong,
            shown: [shownAmount, .init("To", String(repeating: "x", count: 257))]),
        Case(
            display: .raw(form: 1, data: fields([([UInt8](repeating: 0x78, count: 65), [0x41])])),
            problem: .tooLong, shown: [.init(String(repeating: "x", count: 64) + "…", "A")]),
    ]

    @Test(arguments: cases)
    func `what can't all be shown can only be denied, and what can be shown is shown`(
        _ example: Case
    ) async throws {
        let harness = try await OneSpanHarness.activated()
        let login = try await harness.simulator.startTransaction(
            of: OneSpanHarness.name, showing: example.display)
        let challenge = try await harness.authenticator.challenge(try await harness.received())
        #expect(challenge.prompt == .denyOnly(example.problem.reason))
        #expect(challenge.fields == example.shown)
        let error = try await refusal {
            _ = try await harness.authenticator.resolve(challenge, with: .approve)
        }
        #expect(error.code == .unsupported)
        #expect(try await harness.simulator.status(of: login.id) == .waiting)
        // The server takes the denial: it names the data that were refused.
        #expect(
            try await harness.authenticator.resolve(challenge, with: .deny(.unexpected))
                == .delivered)
        #expect(try await harness.simulator.status(of: login.id) == .denied)
    }

    @Test(arguments: cases)
    func `it can be denied unopened as well`(_ example: Case) async throws {
        let harness = try await OneSpanHarness.activated()
        let login = try await harness.simulator.startTransaction(
            of: OneSpanHarness.name, showing: example.display)
        #expect(try await harness.authenticator.deny(try await harness.received()) == .delivered)
        #expect(try await harness.simulator.status(of: login.id) == .denied)
    }

    @Test func `a text that is too long is shown as far as one may be, and can only be denied`()
        async throws
    {
        let harness = try await OneSpanHarness.activated()
        let text = [UInt8](repeating: 0x78, count: 5_000)
        await harness.simulator.configure { $0.loginDisplay = .raw(form: 2, data: text) }
        let (login, id) = try await harness.login(.none)
        let challenge = try await harness.authenticator.challenge(id)
        #expect(challenge.prompt == .denyOnly(DisplayProblem.tooLong.reason))
        #expect(challenge.fields.map(\.value).joined().count == 4_096)
        #expect(
            try await harness.authenticator.resolve(challenge, with: .deny(.unexpected))
                == .delivered)
        #expect(try await harness.simulator.status(of: login.id) == .denied)
    }

    @Test func `the vendor's delegate hears why, and its approval is an error`() async throws {
        let app = try await OneSpanApp.active()
        let harness = app.harness
        let login = try await harness.simulator.startTransaction(
            of: OneSpanHarness.name, showing: .raw(form: 1, data: Self.fields([Self.amount]) + [7]))
        await app.door.execute(try harness.command(try await harness.push()))
        await app.wait(for: .error(nil))
        #expect(await app.problems == [.unreadable])
        #expect(
            await app.news == [
                .displayed(.transaction, .fields([.init("Amount", "1.00 EUR")])), .error(nil),
            ])
        #expect(try await harness.simulator.status(of: login.id) == .waiting)
    }
}
