/// An object that somebody else wrote, read member by member; an error names the member.
///
/// Others may stand beside those that are read.
package struct MemberReader: Sendable {
    /// The object.
    package let object: JSON.Object

    /// Reads the members of an object.
    package init(_ object: JSON.Object) {
        self.object = object
    }

    /// Reads the members of a value that must be an object.
    ///
    /// - Throws: `PushError` with the code `malformed`.
    package init(_ json: JSON?) throws(PushError) {
        guard let object = json?.object else {
            throw PushError(.malformed, "An object was expected, and there is something else.")
        }
        self.object = object
    }

    /// A member; `nil` also for `null`.
    package subscript(_ name: String) -> JSON? {
        guard let value = object[name], value != .null else { return nil }
        return value
    }

    /// A member that must be there, read by a closure that returns `nil` if it can't.
    ///
    /// - Throws: `PushError` with the code `malformed`, or what the closure throws.
    package func required<Value>(
        _ name: String, _ read: (JSON) throws(PushError) -> Value?
    ) throws(PushError) -> Value {
        guard let member = object[name], let value = try read(member) else {
            throw Self.wrong(name)
        }
        return value
    }

    /// A member that may be absent or `null`, read by a closure that returns `nil` if it can't.
    ///
    /// - Throws: `PushError` with the code `malformed`, or what the closure throws.
    package func optional<Value>(
        _ name: String, _ read: (JSON) throws(PushError) -> Value?
    ) throws(PushError) -> Value? {
        guard let member = self[name] else { return nil }
        guard let value = try read(member) else {
            throw Self.hasAnotherType(name)
        }
        return value
    }

    @inline(never) private static func hasAnotherType(_ name: String) -> PushError {
        PushError(.malformed, "The member \"\(name)\" has another type.")
    }

    /// A text that must be there.
    package func text(_ name: String) throws(PushError) -> String {
        guard let text = object[name]?.string else { throw Self.wrong(name) }
        return text
    }

    /// A text that may be absent or `null`, but is a text if it's there.
    package func optionalText(_ name: String) throws(PushError) -> String? {
        try optional(name) { $0.string }
    }

    /// `true` or `false`, which must be there.
    package func bool(_ name: String) throws(PushError) -> Bool {
        guard let bool = object[name]?.bool else { throw Self.wrong(name) }
        return bool
    }

    /// `true` or `false`; the latter, too, if it is absent or `null`. Another type isn't taken for
    /// either.
    package func flag(_ name: String) throws(PushError) -> Bool {
        try optional(name) { $0.bool } ?? false
    }

    /// The error for a member that is missing or isn't what it must be.
    @inline(never) package static func wrong(_ name: String) -> PushError {
        PushError(.malformed, "The member \"\(name)\" is missing or has another type.")
    }
}

extension JSON.Object {
    /// A required member, read by a closure that returns `nil` if the type is wrong. The error
    /// names the member.
    ///
    /// ```swift
    /// let serial = try fields.required("serial") { $0.string }
    /// ```
    ///
    /// - Throws: ``PushError`` with the code `malformed` if the member is missing or has another
    ///   type, or what the closure throws.
    public func required<Value>(
        _ name: String, _ read: (JSON) throws(PushError) -> Value?
    ) throws(PushError) -> Value {
        try MemberReader(self).required(name, read)
    }

    /// A member that may be absent or `null`, read by a closure that returns `nil` if the type is
    /// wrong. The error names the member.
    ///
    /// - Throws: ``PushError`` with the code `malformed` if the member has another type, or what
    ///   the closure throws.
    public func optional<Value>(
        _ name: String, _ read: (JSON) throws(PushError) -> Value?
    ) throws(PushError) -> Value? {
        try MemberReader(self).optional(name, read)
    }
}
