import PushCore

/// What a challenge asks to display, and its digest.
struct ReceivedDisplay: Sendable {
    let content: DisplayContent

    /// SHA-256 of the form and the data, which the answer repeats: what the user saw.
    let digest: [UInt8]

    /// Reads the whole of it, or nothing.
    init(_ body: CommandBody) throws(PushError) {
        let form: UInt8 = try body.number(.displayForm)
        let data = body[.displayData] ?? []
        guard let content = Self.content(form, data) else {
            throw OrchestrationProblem.contentMalformed.error("What to display isn't whole.")
        }
        self.content = content
        digest = sha256([form], data)
    }

    static func content(_ form: UInt8, _ data: [UInt8]) -> DisplayContent? {
        switch form {
        case 0: data.isEmpty ? DisplayContent.none : nil
        case 1: fields(data).map(DisplayContent.fields)
        case 2:
            (1...4_096).contains(data.count) ? CommandBody.text(data).map(DisplayContent.text) : nil
        default: nil
        }
    }

    private static func fields(_ data: [UInt8]) -> [DisplayContent.Field]? {
        var rest = data.dropFirst()
        guard let count = data.first, (1...16).contains(count) else { return nil }
        var fields: [DisplayContent.Field] = []
        for _ in 0..<count {
            guard let key = text(&rest, 1...64), let value = text(&rest, 0...256) else {
                return nil
            }
            fields.append(DisplayContent.Field(key, value))
        }
        return rest.isEmpty ? fields : nil
    }

    private static func text(
        _ rest: inout ArraySlice<UInt8>, _ lengths: ClosedRange<Int>
    ) -> String? {
        guard rest.count >= 2 else { return nil }
        let length = Int(UInt16(bigEndian: rest.prefix(2)))
        rest = rest.dropFirst(2)
        guard lengths.contains(length), length <= rest.count else { return nil }
        defer { rest = rest.dropFirst(length) }
        return CommandBody.text(rest.prefix(length))
    }
}
