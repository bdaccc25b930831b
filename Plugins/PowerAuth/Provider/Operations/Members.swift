import PushCore

/// The members of an object that a server sent, read one by one. Others may stand beside those that
/// are read.
struct Members {
    let object: JSON.Object

    init(_ json: JSON?) throws(PushError) {
        guard let object = json?.object else {
            throw PushError(.malformed, "The server sent something else than an object.")
        }
        self.object = object
    }

    /// A member; `null` counts as none.
    subscript(_ name: String) -> JSON? {
        guard let value = object[name], value != .null else { return nil }
        return value
    }

    /// A text that must be there.
    func text(_ name: String) throws(PushError) -> String {
        guard let text = object[name]?.string else { throw Self.missing }
        return text
    }

    /// A text that needn't be there; one of another type counts as none, as it is only shown.
    func shown(_ name: String) -> String? { object[name]?.string }

    /// A text that needn't be there, but is a text if it is.
    func optionalText(_ name: String) throws(PushError) -> String? {
        guard let value = self[name] else { return nil }
        guard let text = value.string else { throw Self.missing }
        return text
    }

    /// A flag that is off unless it's there; another type than a flag isn't taken for either.
    func flag(_ name: String) throws(PushError) -> Bool {
        guard let value = self[name] else { return false }
        guard let flag = value.bool else { throw Self.missing }
        return flag
    }

    static let missing = PushError(
        .malformed, "A member that the server sends is missing or has another type.")
}
