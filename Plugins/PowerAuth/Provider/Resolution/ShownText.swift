import PushCore

/// What becomes a field, before the core cuts it and makes it safe.
struct ShownText: Hashable, Sendable {
    let label: String
    let value: String

    init(_ label: String, _ value: String) {
        self.label = label
        self.value = value
    }

    /// The field as it is shown.
    var field: Challenge.Field { Challenge.Field(label, value) }

    /// Whether there is nothing to show.
    var isEmpty: Bool { label.isEmpty && value.isEmpty }

    /// Whether both are short enough to be shown whole.
    var fits: Bool { Self.fits(label, .label) && Self.fits(value, .body) }

    private static func fits(_ text: String, _ limit: DisplayText.Limit) -> Bool {
        text.unicodeScalars.count <= limit.rawValue
    }
}
