// swift-format-ignore-file
@_exported import ObjectiveC

/// What `BOOL` is on its way into Swift.
@frozen public struct ObjCBool: ExpressibleByBooleanLiteral {
    var value: Bool
    public init(_ value: Bool) { self.value = value }
    public init(booleanLiteral value: Bool) { self.value = value }
    public var boolValue: Bool { value }
}

@frozen public struct Selector: Equatable { var name: OpaquePointer }

extension NSObject: Equatable, Hashable {
    public static func == (a: NSObject, b: NSObject) -> Bool { a === b }
    @nonobjc public var hashValue: Int { 0 }
    public func hash(into hasher: inout Hasher) {}
}

public func _convertBoolToObjCBool(_ x: Bool) -> ObjCBool { ObjCBool(x) }
public func _convertObjCBoolToBool(_ x: ObjCBool) -> Bool { x.boolValue }
