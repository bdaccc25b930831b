/// What came of one flow.
struct DemoRow: Sendable {
    enum Result: String, Sendable {
        case asExpected = "ok"
        case other = "WRONG"
        case skipped = "skipped"
    }

    let vendor: String
    let flow: String
    let expected: String
    let seen: String
    let duration: Duration

    /// A row for a flow that wasn't run, after an earlier one went wrong.
    static func skipped(_ vendor: String, _ flow: DemoFlow) -> DemoRow {
        DemoRow(
            vendor: vendor, flow: flow.name, expected: flow.expected, seen: "", duration: .zero)
    }

    var result: Result {
        seen.isEmpty ? .skipped : seen == expected ? .asExpected : .other
    }

    var milliseconds: Int {
        Int(duration.components.seconds * 1000)
            + Int(duration.components.attoseconds / 1_000_000_000_000_000)
    }
}
