// swift-format-ignore-file
// Stand-in, written for this check: errors, and what decodes.
// MARK: Errors

public protocol LocalizedError: Error { var errorDescription: String? { get } }
extension LocalizedError { public var errorDescription: String? { nil } }
public protocol CustomNSError: Error {}
extension NSError: Error {}
public protocol _BridgedNSError: Error {}
public protocol _ObjectiveCBridgeableError: Error { init?(_bridgedNSError: NSError) }
public protocol _BridgedStoredNSError: _BridgedNSError, _ObjectiveCBridgeableError, CustomNSError, Hashable {
    associatedtype Code: _ErrorCodeProtocol, RawRepresentable where Code.RawValue: FixedWidthInteger
    var _nsError: NSError { get }
    init(_nsError: NSError)
    static var errorDomain: String { get }
}
public protocol _ErrorCodeProtocol: Equatable {
    associatedtype _ErrorType: _BridgedStoredNSError where _ErrorType.Code == Self
}
extension _ErrorCodeProtocol { public static func ~= (a: Self, b: any Error) -> Bool { none() } }
extension _BridgedStoredNSError {
    public init?(_bridgedNSError error: NSError) { none() }
    public var code: Code { none() }
    public init(_ code: Code) { none() }
    public func hash(into hasher: inout Hasher) {}
    public static func == (a: Self, b: Self) -> Bool { none() }
}
public struct URLError: Error, Hashable, Sendable {
    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: Int
        public init(rawValue: Int) { self.rawValue = rawValue }
    }
    public var code: Code { none() }
    public init(_ code: Code) {}
}
extension URLError.Code {
    public static var unknown: Self { none() }
    public static var cancelled: Self { none() }
    public static var badURL: Self { none() }
    public static var timedOut: Self { none() }
    public static var unsupportedURL: Self { none() }
    public static var cannotFindHost: Self { none() }
    public static var cannotConnectToHost: Self { none() }
    public static var networkConnectionLost: Self { none() }
    public static var dnsLookupFailed: Self { none() }
    public static var notConnectedToInternet: Self { none() }
    public static var badServerResponse: Self { none() }
    public static var secureConnectionFailed: Self { none() }
    public static var serverCertificateHasBadDate: Self { none() }
    public static var serverCertificateUntrusted: Self { none() }
    public static var serverCertificateHasUnknownRoot: Self { none() }
    public static var serverCertificateNotYetValid: Self { none() }
    public static var clientCertificateRejected: Self { none() }
    public static var clientCertificateRequired: Self { none() }
    public static var internationalRoamingOff: Self { none() }
    public static var callIsActive: Self { none() }
    public static var dataNotAllowed: Self { none() }
    public static var appTransportSecurityRequiresSecureConnection: Self { none() }
}
public enum POSIXErrorCode: Int32, Sendable { case EIO = 5, EINVAL = 22 }
public struct POSIXError: Error { public init(_ code: POSIXErrorCode) {} }

public class PropertyListDecoder {
    public init() {}
    public func decode<T: Decodable>(_ type: T.Type, from data: Data) throws -> T { none() }
}
public class JSONEncoder {
    public init() {}
    public func encode<T: Encodable>(_ value: T) throws -> Data { none() }
}

