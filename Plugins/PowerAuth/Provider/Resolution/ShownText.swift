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

    /// Whether both are shown whole: neither is cut, nor loses anything else that can be seen.
    var fits: Bool {
        let shown = field
        return DisplayText.showsAll(of: label, as: shown.label)
            && DisplayText.showsAll(of: value, as: shown.value)
    }
}
