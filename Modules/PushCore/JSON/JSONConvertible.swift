#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A value of the core that is kept as JSON: in a record, or, if it's `Codable`, wherever an app
/// puts it. One mapping serves both.
protocol JSONConvertible {
    init(json: JSON) throws(PushError)
    var json: JSON { get }
}

extension JSON {
    /// A moment, exact to the bit.
    init(_ date: Date) {
        self = Number(date.timeIntervalSinceReferenceDate).map(JSON.number) ?? .null
    }

    /// The moment that ``init(_:)`` wrote.
    var date: Date? { double.map(Date.init(timeIntervalSinceReferenceDate:)) }

    init(_ text: String?) { self = text.map(JSON.string) ?? .null }
}

extension JSON.Object {
    /// A member that must be there, read by a closure that returns `nil` if it can't.
    func required<Value>(
        _ name: String, _ read: (JSON) throws(PushError) -> Value?
    ) throws(PushError) -> Value {
        guard let member = self[name], let value = try read(member) else {
            throw PushError(.malformed, "The member \"\(name)\" is missing or has another type.")
        }
        return value
    }

    /// A member that may be absent or `null`.
    func optional<Value>(
        _ name: String, _ read: (JSON) throws(PushError) -> Value?
    ) throws(PushError) -> Value? {
        guard let member = self[name] else { return nil }
        if case .null = member { return nil }
        guard let value = try read(member) else {
            throw PushError(.malformed, "The member \"\(name)\" has another type.")
        }
        return value
    }
}

extension JSON {
    /// The members, or an error for any other value.
    func members() throws(PushError) -> Object {
        guard let object else { throw PushError(.malformed, "A record holds no object.") }
        return object
    }
}
