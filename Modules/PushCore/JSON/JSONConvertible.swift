#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A value of the core that is kept as JSON in a record.
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

extension JSON {
    /// The members, or an error for any other value.
    func members() throws(PushError) -> Object {
        guard let object else { throw PushError(.malformed, "A record holds no object.") }
        return object
    }
}
