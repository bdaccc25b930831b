// swift-format-ignore-file
@_exported import CoreFoundation
@_exported import Darwin

/// What every class of CoreFoundation is, as the importer finds it by name.
public protocol _CFObject: AnyObject, Hashable {}
extension _CFObject {
    public var hashValue: Int { 0 }
    public func hash(into hasher: inout Hasher) {}
    public static func == (a: Self, b: Self) -> Bool { a === b }
}
