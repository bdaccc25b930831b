// swift-format-ignore-file
// Stand-in, written for this check. Signatures, isolation and availability alone: no body does anything.
@_exported import CoreFoundation
@_exported import Darwin
@_exported import Dispatch
@_exported import Foundation
@_exported import ObjectiveC

public typealias TimeInterval = Double
func none() -> Never { fatalError() }

// MARK: Bytes

public protocol ContiguousBytes {
    func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R
}
public protocol DataProtocol: RandomAccessCollection where Element == UInt8, SubSequence: DataProtocol {
    associatedtype Regions: BidirectionalCollection
    where Regions.Element: DataProtocol & ContiguousBytes, Regions.Element.SubSequence: ContiguousBytes
    var regions: Regions { get }
}
public protocol MutableDataProtocol: DataProtocol, MutableCollection, RangeReplaceableCollection {}
extension DataProtocol {
    public func firstRange<D: DataProtocol>(of data: D) -> Range<Index>? { none() }
    public func copyBytes<R>(to: UnsafeMutableBufferPointer<R>) -> Int { none() }
}
extension Array: ContiguousBytes where Element == UInt8 {}
extension ArraySlice: ContiguousBytes where Element == UInt8 {}
extension ContiguousArray: ContiguousBytes where Element == UInt8 {}
extension UnsafeRawBufferPointer: ContiguousBytes {
    public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R { try body(self) }
}
extension UnsafeMutableRawBufferPointer: ContiguousBytes {
    public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R { none() }
}
extension UnsafeBufferPointer: ContiguousBytes where Element == UInt8 {
    public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R { none() }
}
extension Slice: ContiguousBytes where Base: ContiguousBytes {
    public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R { none() }
}
extension Array: DataProtocol where Element == UInt8 { public var regions: CollectionOfOne<[UInt8]> { none() } }
extension ArraySlice: DataProtocol where Element == UInt8 { public var regions: CollectionOfOne<ArraySlice<UInt8>> { none() } }
extension ContiguousArray: DataProtocol where Element == UInt8 { public var regions: CollectionOfOne<ContiguousArray<UInt8>> { none() } }
extension UnsafeRawBufferPointer: DataProtocol { public var regions: CollectionOfOne<UnsafeRawBufferPointer> { none() } }
extension UnsafeBufferPointer: DataProtocol where Element == UInt8 { public var regions: CollectionOfOne<UnsafeBufferPointer<UInt8>> { none() } }
extension Slice: DataProtocol where Base: DataProtocol { public var regions: Base.Regions { none() } }
extension Array: MutableDataProtocol where Element == UInt8 {}

@frozen public struct Data: Hashable, Sendable, Codable, RandomAccessCollection, MutableCollection,
    RangeReplaceableCollection, MutableDataProtocol, ContiguousBytes, CustomStringConvertible
{
    public typealias Index = Int
    public typealias Indices = Range<Int>
    public typealias SubSequence = Data
    public struct Base64DecodingOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let ignoreUnknownCharacters = Self(rawValue: 1)
    }
    public struct Base64EncodingOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let lineLength64Characters = Self(rawValue: 1), lineLength76Characters = Self(rawValue: 2)
        public static let endLineWithCarriageReturn = Self(rawValue: 16), endLineWithLineFeed = Self(rawValue: 32)
    }
    public init() {}
    public init<S: Sequence>(_ elements: S) where S.Element == UInt8 {}
    public init(_ elements: [UInt8]) {}
    public init(repeating: UInt8, count: Int) {}
    public init(count: Int) {}
    public init(capacity: Int) {}
    public init(bytes: UnsafeRawPointer, count: Int) {}
    public init<Element>(buffer: UnsafeBufferPointer<Element>) {}
    public init?(base64Encoded: String, options: Base64DecodingOptions = []) {}
    public init?(base64Encoded: Data, options: Base64DecodingOptions = []) {}
    public init(contentsOf url: URL) throws {}
    public func write(to url: URL) throws {}
    public init(from decoder: any Decoder) throws {}
    public func encode(to encoder: any Encoder) throws {}
    public func base64EncodedString(options: Base64EncodingOptions = []) -> String { none() }
    public func base64EncodedData(options: Base64EncodingOptions = []) -> Data { none() }
    public var regions: CollectionOfOne<Data> { none() }
    public var count: Int { get { none() } set {} }
    public var startIndex: Int { none() }
    public var endIndex: Int { none() }
    public var description: String { none() }
    public subscript(index: Int) -> UInt8 { get { none() } set {} }
    public subscript(bounds: Range<Int>) -> Data { get { none() } set {} }
    public mutating func replaceSubrange<C: Collection>(_ range: Range<Int>, with new: C) where C.Element == UInt8 {}
    public mutating func append(_ other: Data) {}
    public mutating func append(_ bytes: UnsafePointer<UInt8>, count: Int) {}
    public mutating func append<S: Sequence>(contentsOf elements: S) where S.Element == UInt8 {}
    public mutating func resetBytes(in range: Range<Int>) {}
    public func subdata(in range: Range<Int>) -> Data { none() }
    public func range(of data: Data, in range: Range<Int>? = nil) -> Range<Int>? { none() }
    public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R { none() }
    public mutating func withUnsafeMutableBytes<R>(_ body: (UnsafeMutableRawBufferPointer) throws -> R) rethrows -> R { none() }
}

// MARK: Values

public struct Date: Hashable, Comparable, Sendable, Codable, CustomStringConvertible, Strideable {
    public init() {}
    public init(timeIntervalSince1970: TimeInterval) {}
    public init(timeIntervalSinceReferenceDate: TimeInterval) {}
    public init(timeIntervalSinceNow: TimeInterval) {}
    public init(timeInterval: TimeInterval, since: Date) {}
    public init(from decoder: any Decoder) throws {}
    public func encode(to encoder: any Encoder) throws {}
    public var timeIntervalSince1970: TimeInterval { none() }
    public var timeIntervalSinceReferenceDate: TimeInterval { none() }
    public var timeIntervalSinceNow: TimeInterval { none() }
    public func timeIntervalSince(_ date: Date) -> TimeInterval { none() }
    public func addingTimeInterval(_ interval: TimeInterval) -> Date { none() }
    public mutating func addTimeInterval(_ interval: TimeInterval) {}
    public func advanced(by n: TimeInterval) -> Date { none() }
    public func distance(to other: Date) -> TimeInterval { none() }
    public var description: String { none() }
    @available(macOS 12, iOS 15, *) public static var now: Date { none() }
    public static let distantPast = Date()
    public static let distantFuture = Date()
    public static func < (a: Date, b: Date) -> Bool { none() }
    public static func + (a: Date, b: TimeInterval) -> Date { none() }
    public static func - (a: Date, b: TimeInterval) -> Date { none() }
    public static func += (a: inout Date, b: TimeInterval) {}
    public static func -= (a: inout Date, b: TimeInterval) {}
}
@available(macOS 12, iOS 15, *)
public protocol FormatStyle: Codable, Hashable {
    associatedtype FormatInput
    associatedtype FormatOutput
    func format(_ value: FormatInput) -> FormatOutput
}
@available(macOS 12, iOS 15, *)
public protocol ParseStrategy: Codable, Hashable {
    associatedtype ParseInput
    associatedtype ParseOutput
    func parse(_ value: ParseInput) throws -> ParseOutput
}
@available(macOS 12, iOS 15, *)
extension Date {
    public struct ISO8601FormatStyle: Codable, Hashable, Sendable, FormatStyle, ParseStrategy {
        public enum DateSeparator: String, Codable, Sendable { case dash, omitted }
        public enum DateTimeSeparator: String, Codable, Sendable { case space, standard }
        public enum TimeSeparator: String, Codable, Sendable { case colon, omitted }
        public enum TimeZoneSeparator: String, Codable, Sendable { case colon, omitted }
        public init(dateSeparator: DateSeparator = .dash, dateTimeSeparator: DateTimeSeparator = .standard, timeSeparator: TimeSeparator = .colon, timeZoneSeparator: TimeZoneSeparator = .omitted, includingFractionalSeconds: Bool = false) {}
        public func year() -> Self { none() }
        public func month() -> Self { none() }
        public func day() -> Self { none() }
        public func time(includingFractionalSeconds: Bool) -> Self { none() }
        public func timeZone(separator: TimeZoneSeparator) -> Self { none() }
        public func format(_ value: Date) -> String { none() }
        public func parse(_ value: String) throws -> Date { none() }
    }
    public init<T: ParseStrategy>(_ value: T.ParseInput, strategy: T) throws where T.ParseOutput == Date {}
    public func formatted<F: FormatStyle>(_ format: F) -> F.FormatOutput where F.FormatInput == Date { none() }
    public func ISO8601Format(_ style: ISO8601FormatStyle = .init()) -> String { none() }
}
@available(macOS 12, iOS 15, *)
extension FormatStyle where Self == Date.ISO8601FormatStyle { public static var iso8601: Self { none() } }
@available(macOS 12, iOS 15, *)
extension ParseStrategy where Self == Date.ISO8601FormatStyle { @_disfavoredOverload public static var iso8601: Self { none() } }
public struct UUID: Hashable, Sendable, Codable, CustomStringConvertible {
    public init() {}
    public init?(uuidString: String) {}
    public init(uuid: uuid_t) {}
    public init(from decoder: any Decoder) throws {}
    public func encode(to encoder: any Encoder) throws {}
    public var uuidString: String { none() }
    public var uuid: uuid_t { none() }
    public var description: String { none() }
}
public typealias uuid_t = (
    UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8
)
public struct URL: Hashable, Sendable, Codable, CustomStringConvertible {
    public init?(string: String) {}
    @available(macOS 14, iOS 17, *) public init?(string: String, encodingInvalidCharacters: Bool) {}
    public init(fileURLWithPath: String) {}
    @available(macOS 13, iOS 16, *) public init(filePath: String) {}
    public init(from decoder: any Decoder) throws {}
    public func encode(to encoder: any Encoder) throws {}
    public var absoluteString: String { none() }
    public var scheme: String? { none() }
    public var host: String? { none() }
    @available(macOS 13, iOS 16, *) public func host(percentEncoded: Bool = true) -> String? { none() }
    public var path: String { none() }
    @available(macOS 13, iOS 16, *) public func path(percentEncoded: Bool = true) -> String { none() }
    public var port: Int? { none() }
    public var query: String? { none() }
    public var fragment: String? { none() }
    public var user: String? { none() }
    public var password: String? { none() }
    public var standardized: URL { none() }
    public var description: String { none() }
    public func appendingPathComponent(_ part: String) -> URL { none() }
    public func deletingLastPathComponent() -> URL { none() }
    @available(macOS 13, iOS 16, *) public static var applicationSupportDirectory: URL { none() }
    @available(macOS 13, iOS 16, *) public func appending(path: String) -> URL { none() }
}
public struct URLRequest: Hashable, Sendable {
    public init(url: URL) {}
    public var url: URL? { get { none() } set {} }
    public var httpMethod: String? { get { none() } set {} }
    public var httpBody: Data? { get { none() } set {} }
    public var httpShouldHandleCookies: Bool { get { none() } set {} }
    public mutating func addValue(_ value: String, forHTTPHeaderField field: String) {}
    public mutating func setValue(_ value: String?, forHTTPHeaderField field: String) {}
}
public struct CharacterSet: Hashable, Sendable {
    public static var whitespaces: CharacterSet { none() }
    public static var whitespacesAndNewlines: CharacterSet { none() }
}
extension StringProtocol {
    public func trimmingCharacters(in set: CharacterSet) -> String { none() }
    public func components<T: StringProtocol>(separatedBy separator: T) -> [String] { none() }
    public func data(using: String.Encoding, allowLossyConversion: Bool = false) -> Data? { none() }
}
extension String {
    public struct Encoding: Hashable, Sendable { public static let utf8 = Encoding() }
    public init?(data: Data, encoding: Encoding) { none() }
    public init(format: String, _ arguments: any CVarArg...) { none() }
}

// MARK: Objects

extension FileManager {
    public func createDirectory(
        at url: URL, withIntermediateDirectories: Bool, attributes: [String: Any]? = nil
    ) throws {}
}

extension NSLocking {
    public func withLock<R>(_ body: () throws -> R) rethrows -> R { try body() }
}
extension NSDictionary {
    public subscript(key: Any) -> Any? { none() }
}

// MARK: What crosses between Swift and Objective-C

public protocol _StandInBridge: _ObjectiveCBridgeable {}
extension _StandInBridge {
    public func _bridgeToObjectiveC() -> _ObjectiveCType { none() }
    public static func _forceBridgeFromObjectiveC(_ source: _ObjectiveCType, result: inout Self?) {}
    public static func _conditionallyBridgeFromObjectiveC(_ source: _ObjectiveCType, result: inout Self?) -> Bool { none() }
    public static func _unconditionallyBridgeFromObjectiveC(_ source: _ObjectiveCType?) -> Self { none() }
}
extension String: _StandInBridge { public typealias _ObjectiveCType = NSString }
extension Data: _StandInBridge { public typealias _ObjectiveCType = NSData }
extension Date: _StandInBridge { public typealias _ObjectiveCType = NSDate }
extension URL: _StandInBridge { public typealias _ObjectiveCType = NSURL }
extension UUID: _StandInBridge { public typealias _ObjectiveCType = NSUUID }
extension URLRequest: _StandInBridge { public typealias _ObjectiveCType = NSURLRequest }
extension Array: _StandInBridge, _ObjectiveCBridgeable { public typealias _ObjectiveCType = NSArray }
extension Set: _StandInBridge, _ObjectiveCBridgeable { public typealias _ObjectiveCType = NSSet }
extension Dictionary: _StandInBridge, _ObjectiveCBridgeable { public typealias _ObjectiveCType = NSDictionary }
extension Bool: _StandInBridge { public typealias _ObjectiveCType = NSNumber }
extension Int: _StandInBridge { public typealias _ObjectiveCType = NSNumber }
extension Int64: _StandInBridge { public typealias _ObjectiveCType = NSNumber }
extension Double: _StandInBridge { public typealias _ObjectiveCType = NSNumber }
extension AnyHashable: _StandInBridge, _ObjectiveCBridgeable { public typealias _ObjectiveCType = NSObject }

/// What the compiler calls where a method of Objective-C has an `NSError **`.
public func _convertNSErrorToError(_ error: NSError?) -> any Error { none() }
public func _convertErrorToNSError(_ error: any Error) -> NSError { none() }

extension Bundle {
    public func object(forInfoDictionaryKey key: String) -> Any? { fatalError() }
}
