// swift-format-ignore-file
// Stand-in, written for this check, with CryptoKit's availability as far as it is known: iOS 13, and
// what came later marked so. It holds what the SDK calls; another call needs a line here.
public import Foundation
public import LocalAuthentication
public import Security

func none() -> Never { fatalError() }

// MARK: Digests

@available(macOS 10.15, iOS 13, *)
public protocol Digest: Hashable, ContiguousBytes, CustomStringConvertible, Sequence, Sendable where Element == UInt8 {
    static var byteCount: Int { get }
}
@available(macOS 10.15, iOS 13, *)
public protocol HashFunction: Sendable {
    associatedtype Digest: CryptoKit.Digest
    static var blockByteCount: Int { get }
    init()
    mutating func update(bufferPointer: UnsafeRawBufferPointer)
    func finalize() -> Digest
}
@available(macOS 10.15, iOS 13, *)
extension HashFunction {
    public static var blockByteCount: Int { none() }
    public mutating func update(bufferPointer: UnsafeRawBufferPointer) {}
    public mutating func update<D: DataProtocol>(data: D) {}
    public static func hash<D: DataProtocol>(data: D) -> Digest { none() }
}
@available(macOS 10.15, iOS 13, *)
public protocol _StandInBytes: Digest {}
@available(macOS 10.15, iOS 13, *)
extension _StandInBytes {
    public static var byteCount: Int { none() }
    public var description: String { none() }
    public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R { none() }
    public func makeIterator() -> Array<UInt8>.Iterator { none() }
}
@available(macOS 10.15, iOS 13, *) public struct SHA256Digest: _StandInBytes {}
@available(macOS 10.15, iOS 13, *) public struct SHA384Digest: _StandInBytes {}
@available(macOS 10.15, iOS 13, *) public struct SHA512Digest: _StandInBytes {}
@available(macOS 10.15, iOS 13, *)
public struct SHA256: HashFunction { public init() {}; public func finalize() -> SHA256Digest { none() } }
@available(macOS 10.15, iOS 13, *)
public struct SHA384: HashFunction { public init() {}; public func finalize() -> SHA384Digest { none() } }
@available(macOS 10.15, iOS 13, *)
public struct SHA512: HashFunction { public init() {}; public func finalize() -> SHA512Digest { none() } }
@available(macOS 10.15, iOS 13, *)
public enum Insecure: Sendable {
    public struct SHA1Digest: _StandInBytes {}
    public struct MD5Digest: _StandInBytes {}
    public struct SHA1: HashFunction { public init() {}; public func finalize() -> SHA1Digest { none() } }
    public struct MD5: HashFunction { public init() {}; public func finalize() -> MD5Digest { none() } }
}
@available(macOS 26, iOS 26, *) public struct SHA3_256Digest: _StandInBytes {}
@available(macOS 26, iOS 26, *)
public struct SHA3_256: HashFunction { public init() {}; public func finalize() -> SHA3_256Digest { none() } }

// MARK: Keys and codes

@available(macOS 10.15, iOS 13, *)
public struct SymmetricKeySize: Sendable {
    public static var bits128: Self { none() }
    public static var bits192: Self { none() }
    public static var bits256: Self { none() }
    public let bitCount: Int
    public init(bitCount: Int) { self.bitCount = bitCount }
}
@available(macOS 10.15, iOS 13, *)
public struct SymmetricKey: ContiguousBytes, Equatable, Sendable {
    public init<D: ContiguousBytes>(data: D) {}
    public init(size: SymmetricKeySize) {}
    public var bitCount: Int { none() }
    public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R { none() }
}
@available(macOS 10.15, iOS 13, *)
public protocol MessageAuthenticationCode: Hashable, ContiguousBytes, CustomStringConvertible, Sequence where Element == UInt8 {
    var byteCount: Int { get }
}
@available(macOS 10.15, iOS 13, *)
public struct HashedAuthenticationCode<H: HashFunction>: MessageAuthenticationCode, @unchecked Sendable {
    public var byteCount: Int { none() }
    public var description: String { none() }
    public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R { none() }
    public func makeIterator() -> Array<UInt8>.Iterator { none() }
    public func hash(into hasher: inout Hasher) {}
    public static func == (a: Self, b: Self) -> Bool { none() }
    public static func == <D: DataProtocol>(a: Self, b: D) -> Bool { none() }
}
@available(macOS 10.15, iOS 13, *)
public struct HMAC<H: HashFunction>: @unchecked Sendable {
    public typealias Key = SymmetricKey
    public typealias MAC = HashedAuthenticationCode<H>
    public init(key: SymmetricKey) {}
    public mutating func update<D: DataProtocol>(data: D) {}
    public func finalize() -> MAC { none() }
    public static func authenticationCode<D: DataProtocol>(for data: D, using key: SymmetricKey) -> MAC { none() }
    public static func isValidAuthenticationCode<D: DataProtocol>(_ code: MAC, authenticating data: D, using key: SymmetricKey) -> Bool { none() }
    public static func isValidAuthenticationCode<C: ContiguousBytes, D: DataProtocol>(_ code: C, authenticating data: D, using key: SymmetricKey) -> Bool { none() }
}
@available(macOS 11, iOS 14, *)
public struct HKDF<H: HashFunction>: Sendable {
    public static func deriveKey<Salt: DataProtocol, Info: DataProtocol>(inputKeyMaterial: SymmetricKey, salt: Salt, info: Info, outputByteCount: Int) -> SymmetricKey { none() }
    public static func deriveKey<Info: DataProtocol>(inputKeyMaterial: SymmetricKey, info: Info, outputByteCount: Int) -> SymmetricKey { none() }
    public static func deriveKey<Salt: DataProtocol>(inputKeyMaterial: SymmetricKey, salt: Salt, outputByteCount: Int) -> SymmetricKey { none() }
    public static func deriveKey(inputKeyMaterial: SymmetricKey, outputByteCount: Int) -> SymmetricKey { none() }
    public static func extract<Salt: DataProtocol>(inputKeyMaterial: SymmetricKey, salt: Salt?) -> HashedAuthenticationCode<H> { none() }
    public static func expand<PRK: ContiguousBytes, Info: DataProtocol>(pseudoRandomKey: PRK, info: Info?, outputByteCount: Int) -> SymmetricKey { none() }
}

// MARK: Ciphers

@available(macOS 10.15, iOS 13, *)
public enum AES: Sendable {
    public enum GCM: Sendable {
        public struct Nonce: ContiguousBytes, Sequence, Sendable {
            public init() {}
            public init<D: DataProtocol>(data: D) throws {}
            public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R { none() }
            public func makeIterator() -> Array<UInt8>.Iterator { none() }
        }
        public struct SealedBox: Sendable {
            public var tag: Data { none() }
            public var ciphertext: Data { none() }
            public var nonce: Nonce { none() }
            public var combined: Data? { none() }
            public init<D: DataProtocol>(combined: D) throws {}
            public init<C: DataProtocol, T: DataProtocol>(nonce: Nonce, ciphertext: C, tag: T) throws {}
        }
        public static func seal<P: DataProtocol, A: DataProtocol>(_ message: P, using key: SymmetricKey, nonce: Nonce? = nil, authenticating data: A) throws -> SealedBox { none() }
        public static func seal<P: DataProtocol>(_ message: P, using key: SymmetricKey, nonce: Nonce? = nil) throws -> SealedBox { none() }
        public static func open<A: DataProtocol>(_ box: SealedBox, using key: SymmetricKey, authenticating data: A) throws -> Data { none() }
        public static func open(_ box: SealedBox, using key: SymmetricKey) throws -> Data { none() }
    }
    @available(macOS 12, iOS 15, *)
    public enum KeyWrap: Sendable {
        public static func wrap(_ key: SymmetricKey, using kek: SymmetricKey) throws -> Data { none() }
        public static func unwrap<D: DataProtocol>(_ wrapped: D, using kek: SymmetricKey) throws -> SymmetricKey { none() }
    }
}
@available(macOS 10.15, iOS 13, *)
public enum CryptoKitError: Error {
    case incorrectKeySize, incorrectParameterSize, authenticationFailure, underlyingCoreCryptoError(error: Int32)
    @available(macOS 11, iOS 14, *) case wrapFailure
    @available(macOS 11, iOS 14, *) case unwrapFailure
}
@available(macOS 11, iOS 14, *)
public enum CryptoKitASN1Error: Equatable, Error { case invalidASN1Object }

// MARK: NIST curves

@available(macOS 10.15, iOS 13, *)
public struct SharedSecret: ContiguousBytes, Hashable, Sendable {
    public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R { none() }
    public func x963DerivedSymmetricKey<H: HashFunction, S: DataProtocol>(using: H.Type, sharedInfo: S, outputByteCount: Int) -> SymmetricKey { none() }
    public func hkdfDerivedSymmetricKey<H: HashFunction, Salt: DataProtocol, S: DataProtocol>(using: H.Type, salt: Salt, sharedInfo: S, outputByteCount: Int) -> SymmetricKey { none() }
}
@available(macOS 10.15, iOS 13, *)
public enum P256: Sendable {
    public enum Signing: Sendable {
        public struct ECDSASignature: ContiguousBytes, Sendable {
            public var rawRepresentation: Data { none() }
            public var derRepresentation: Data { none() }
            public init<D: DataProtocol>(rawRepresentation: D) throws {}
            public init<D: DataProtocol>(derRepresentation: D) throws {}
            public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R { none() }
        }
        public struct PublicKey: Sendable {
            public init<D: ContiguousBytes>(rawRepresentation: D) throws {}
            public init<D: ContiguousBytes>(x963Representation: D) throws {}
            public init<D: ContiguousBytes>(compactRepresentation: D) throws {}
            @available(macOS 13, iOS 16, *) public init<D: ContiguousBytes>(compressedRepresentation: D) throws {}
            @available(macOS 11, iOS 14, *) public init(pemRepresentation: String) throws {}
            @available(macOS 11, iOS 14, *) public init<D: RandomAccessCollection>(derRepresentation: D) throws where D.Element == UInt8 {}
            public var rawRepresentation: Data { none() }
            public var x963Representation: Data { none() }
            public var compactRepresentation: Data? { none() }
            @available(macOS 13, iOS 16, *) public var compressedRepresentation: Data { none() }
            @available(macOS 11, iOS 14, *) public var derRepresentation: Data { none() }
            @available(macOS 11, iOS 14, *) public var pemRepresentation: String { none() }
            public func isValidSignature<D: DataProtocol>(_ signature: ECDSASignature, for data: D) -> Bool { none() }
            public func isValidSignature<D: Digest>(_ signature: ECDSASignature, for digest: D) -> Bool { none() }
        }
        public struct PrivateKey: Sendable {
            public init(compactRepresentable: Bool = true) {}
            public init<D: ContiguousBytes>(rawRepresentation: D) throws {}
            public init<D: ContiguousBytes>(x963Representation: D) throws {}
            @available(macOS 11, iOS 14, *) public init(pemRepresentation: String) throws {}
            @available(macOS 11, iOS 14, *) public init<D: RandomAccessCollection>(derRepresentation: D) throws where D.Element == UInt8 {}
            public var publicKey: PublicKey { none() }
            public var rawRepresentation: Data { none() }
            public var x963Representation: Data { none() }
            @available(macOS 11, iOS 14, *) public var derRepresentation: Data { none() }
            @available(macOS 11, iOS 14, *) public var pemRepresentation: String { none() }
            public func signature<D: DataProtocol>(for data: D) throws -> ECDSASignature { none() }
            public func signature<D: Digest>(for digest: D) throws -> ECDSASignature { none() }
        }
    }
    public enum KeyAgreement: Sendable {
        public struct PublicKey: Sendable {
            public init<D: ContiguousBytes>(rawRepresentation: D) throws {}
            public init<D: ContiguousBytes>(x963Representation: D) throws {}
            public init<D: ContiguousBytes>(compactRepresentation: D) throws {}
            @available(macOS 13, iOS 16, *) public init<D: ContiguousBytes>(compressedRepresentation: D) throws {}
            @available(macOS 11, iOS 14, *) public init<D: RandomAccessCollection>(derRepresentation: D) throws where D.Element == UInt8 {}
            public var rawRepresentation: Data { none() }
            public var x963Representation: Data { none() }
            @available(macOS 13, iOS 16, *) public var compressedRepresentation: Data { none() }
            @available(macOS 11, iOS 14, *) public var derRepresentation: Data { none() }
        }
        public struct PrivateKey: Sendable {
            public init(compactRepresentable: Bool = true) {}
            public init<D: ContiguousBytes>(rawRepresentation: D) throws {}
            public init<D: ContiguousBytes>(x963Representation: D) throws {}
            public var publicKey: PublicKey { none() }
            public var rawRepresentation: Data { none() }
            public var x963Representation: Data { none() }
            public func sharedSecretFromKeyAgreement(with key: PublicKey) throws -> SharedSecret { none() }
        }
    }
}
@available(macOS 10.15, iOS 13, *)
public enum LargeCurve<Name>: Sendable {
    public enum Signing: Sendable {
        public struct ECDSASignature: ContiguousBytes, Sendable {
            public var rawRepresentation: Data { none() }
            public var derRepresentation: Data { none() }
            public init<D: DataProtocol>(rawRepresentation: D) throws {}
            public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R { none() }
        }
        public struct PublicKey: Sendable {
            public init<D: ContiguousBytes>(rawRepresentation: D) throws {}
            public var rawRepresentation: Data { none() }
            @available(macOS 11, iOS 14, *) public var pemRepresentation: String { none() }
            public func isValidSignature<D: DataProtocol>(_ signature: ECDSASignature, for data: D) -> Bool { none() }
            public func isValidSignature<D: Digest>(_ signature: ECDSASignature, for digest: D) -> Bool { none() }
        }
        public struct PrivateKey: Sendable {
            public init(compactRepresentable: Bool = true) {}
            public init<D: ContiguousBytes>(rawRepresentation: D) throws {}
            public var publicKey: PublicKey { none() }
            public var rawRepresentation: Data { none() }
            public func signature<D: DataProtocol>(for data: D) throws -> ECDSASignature { none() }
            public func signature<D: Digest>(for digest: D) throws -> ECDSASignature { none() }
        }
    }
}
@available(macOS 10.15, iOS 13, *)
public typealias P384 = LargeCurve<SHA384>
@available(macOS 10.15, iOS 13, *)
public typealias P521 = LargeCurve<SHA512>
@available(macOS 10.15, iOS 13, *)
public enum SecureEnclave: Sendable {
    public static var isAvailable: Bool { none() }
    public enum P256: Sendable {
        public enum Signing: Sendable {
            public struct PrivateKey: Sendable {
                public init(compactRepresentable: Bool = true, accessControl: SecAccessControl, authenticationContext: LAContext? = nil) throws {}
                public init(dataRepresentation: Data, authenticationContext: LAContext? = nil) throws {}
                public var publicKey: CryptoKit.P256.Signing.PublicKey { none() }
                public var dataRepresentation: Data { none() }
                public func signature<D: DataProtocol>(for data: D) throws -> CryptoKit.P256.Signing.ECDSASignature { none() }
            }
        }
    }
}
