import Crypto
import Foundation
import PushCore
import Testing

@testable import PushPowerAuth

@Suite struct CurvePointTests {
    private let key: P256.KeyAgreement.PublicKey

    init() throws {
        // The device key of powerauth-crypto, `compute-master-secret-key.json` #0.
        key = try Sample.javaKey("APl59736fwYwx+U+2/vVAPEF0N0Mdyt9ARRXWLPO7KxP").publicKey
    }

    @Test func `both forms are the same point`() throws {
        let long = try CurvePoint(key.x963Representation)
        let short = try CurvePoint(key.compressedRepresentation)
        #expect(long == short)
        #expect(short.uncompressed == key.x963Representation)
        #expect(long == CurvePoint(key))
        #expect(long.compressed == key.compressedRepresentation)
        #expect(CurvePoint(key).uncompressed == key.x963Representation)
    }

    @Test func `a slice is read like what it was cut from`() throws {
        for form in [key.x963Representation, key.compressedRepresentation] {
            #expect(
                try CurvePoint((Data([7, 7]) + form)[2...]).uncompressed == key.x963Representation)
        }
    }

    @Test func `one point serves agreement and signatures`() throws {
        let point = try CurvePoint(key.x963Representation)
        #expect(point.agreementKey.rawRepresentation == key.rawRepresentation)
        for form in [point, CurvePoint(key), try CurvePoint(key.compressedRepresentation)] {
            #expect(try form.signingKey.rawRepresentation == key.rawRepresentation)
        }
    }

    @Test func `nothing but 33 and 65 bytes of a point is one`() throws {
        let long = key.x963Representation
        var offCurve = long
        offCurve[64] ^= 1
        let y = try #require(long.last)
        // Hybrid forms name the parity of y beside all of it (SEC 1 leaves them out).
        let hybrid = Data([6 | y & 1]) + long.dropFirst()
        let infinity = Data(repeating: 0, count: 65)
        let outside = Data([2]) + Data(repeating: 0xFF, count: 32)
        let others = [
            Data(), Data([0]), key.rawRepresentation, long.dropLast(), long + [0], offCurve, hybrid,
            infinity, Data([4]) + infinity.dropFirst(), outside, Data(long.dropFirst().prefix(32)),
            Data([4]) + key.compressedRepresentation.dropFirst(), Data([2]) + long.dropFirst(),
            key.compressedRepresentation + [0], Data(repeating: 0, count: 33),
        ]
        for bytes in others {
            #expect(Sample.refusal { _ = try CurvePoint(bytes) } == .malformed, "\(Array(bytes))")
        }
    }

    /// Of powerauth-crypto, `public-key-fingerprint-v3.json` #32.
    @Test func `the minimal x has no leading zero`() throws {
        let point = try Sample.point(
            "BAB2Wss9FIzQwHzDXjUc8377ekmVLxw3NoCA35cDPXQbQx9Y8eQXxsyhSLCfw++Ep4jNc6hU7rR9nJNJdXdl7zM="
        )
        #expect(point.minimalX.count == 31)
        #expect(point.minimalX == Array(point.uncompressed[2..<33]))
        #expect(CurvePoint(key).minimalX == Array(key.x963Representation[1..<33]))
    }
}
