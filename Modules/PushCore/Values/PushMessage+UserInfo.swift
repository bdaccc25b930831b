#if canImport(Darwin)
import Foundation  // For NSNumber and NSNull, which only Apple's `userInfo` holds.
#endif

extension PushMessage {
    /// Creates a message from the `userInfo` of a notification, as Apple's system hands it over.
    ///
    /// - Throws: ``PushError`` with the code `malformed` if JSON can't hold it, or if it nests more
    ///   deeply than the strict reader allows.
    public init(userInfo: [AnyHashable: Any]) throws(PushError) {
        try self.init(payload: Self.object(userInfo, depth: 1))
    }

    private static func object(
        _ dictionary: [AnyHashable: Any], depth: Int
    ) throws(PushError) -> JSON {
        try check(depth)
        var object = JSON.Object()
        for (key, value) in dictionary {
            guard let name = key.base as? String else {
                throw PushError(.malformed, "A member's name is no string.")
            }
            object[name] = try json(value, depth: depth + 1)
        }
        return .object(object)
    }

    /// Counts what the strict reader counts: objects and arrays.
    private static func check(_ depth: Int) throws(PushError) {
        guard depth <= JSON.Limits().depth else {
            throw PushError(.malformed, "The payload is nested too deeply.")
        }
    }

    private static func json(_ value: Any, depth: Int) throws(PushError) -> JSON {
        #if canImport(Darwin)
        // Apple's dictionary holds NSNumber for both kinds, and bridges either to the other.
        if let number = value as? NSNumber, CFGetTypeID(number) == CFBooleanGetTypeID() {
            return .bool(number.boolValue)
        }
        if value is NSNull { return .null }
        #endif
        switch value {
        case let string as String: return .string(string)
        #if !canImport(Darwin)
        // There, the numbers 0 and 1 would pass for booleans here.
        case let bool as Bool: return .bool(bool)
        #endif
        case let integer as Int: return .number(JSON.Number(Int64(integer)))
        case let integer as Int64: return .number(JSON.Number(integer))
        case let double as Double:
            guard let number = JSON.Number(double) else { break }
            return .number(number)
        case let dictionary as [AnyHashable: Any]: return try object(dictionary, depth: depth)
        case let array as [Any]:
            try check(depth)
            var elements: [JSON] = []
            for element in array { elements.append(try json(element, depth: depth + 1)) }
            return .array(elements)
        default: break
        }
        throw PushError(.malformed, "The payload holds a value that JSON can't.")
    }
}
