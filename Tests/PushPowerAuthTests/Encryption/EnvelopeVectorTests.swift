import Crypto
import Foundation
import PushCore
import Testing

@testable import PushPowerAuth

/// The vendor's published exchanges of version 3.3, value by value.
struct EnvelopeVectorTests {
    @Test(arguments: EnvelopeVector.all)
    func `each value between a key and a sealed request is the vendor's`(
        vector: EnvelopeVector
    ) throws {
        let shared = try vector.sharedSecret()
        #expect(shared.withUnsafeBytes { Wire.hex($0) } == vector.shared)
        let context = try vector.context()
        let keys = context.keys
        let all = [keys.encryption, keys.authentication, keys.vector].map { Wire.hex($0) }
        #expect(all.joined() == vector.envelopeKey)
        #expect(Wire.hex(try vector.scope().sharedInfo2) == vector.sharedInfo2)
        #expect(Wire.hex(context.associatedData) == vector.associatedData)
        let freshness = try vector.request.freshness()
        #expect(Wire.hex(keys.vector(for: freshness.nonce)) == vector.request.vector)

        let plain = Secret(try Wire.decode(vector.request.plain))
        let sealed = try context.seal(
            plain, freshness, ephemeral: Wire.decode(vector.ephemeral))
        #expect(Wire.base64(sealed.data) == vector.request.data)
        #expect(Wire.base64(sealed.mac) == vector.request.mac)
    }

    @Test func `the keys depend on version, purpose and ephemeral key, in this order`() throws {
        let info = EnvelopeKeys.info(
            .v3_3, sharedInfo1: EnvelopeVector.application.sharedInfo1,
            ephemeral: try Wire.decode(EnvelopeVector.application.ephemeral))
        #expect(
            Wire.hex(info) == "332e332f70612f61637469766174696f6e"
                + "020190171577970e550db1c723a95376850e32f03e7225dcf89148f0eb18e04aca")
        #expect(
            EnvelopeKeys.info(.v3_2, sharedInfo1: "/a", ephemeral: [9]) == Array("3.2/a\t".utf8))
        #expect(EnvelopeKeys.info(.v3_1, sharedInfo1: "/a", ephemeral: [9]) == Array("/a\t".utf8))
    }

    @Test func `what codes cover is laid out part by part, request and response`() throws {
        let vector = EnvelopeVector.application
        let context = try vector.context()
        func layout(_ nonce: String, _ time: String, _ ephemeral: String) throws -> String {
            try "00000020" + vector.sharedInfo2 + "00000010" + Wire.hex(Wire.decode(nonce))
                + "00000008" + time + ephemeral + "0000004b" + vector.associatedData
        }
        let ephemeral = try Wire.decode(vector.ephemeral)
        let response = try #require(vector.response)
        #expect(
            try Wire.hex(context.covered(vector.request.freshness(), ephemeral: ephemeral))
                == layout(
                    vector.request.nonce, "000001913154798c", "00000021" + Wire.hex(ephemeral)))
        #expect(
            try Wire.hex(context.covered(response.freshness(), ephemeral: []))
                == layout(response.nonce, "000001913154798d", "00000000"))
    }

    @Test func `the vendor's response is opened`() throws {
        let vector = EnvelopeVector.application
        let response = try #require(vector.response)
        let context = try vector.context()
        #expect(
            try Wire.hex(context.keys.vector(for: response.freshness().nonce)) == response.vector)
        let opener = ResponseOpener(context, requestNonce: try Wire.decode(vector.request.nonce))
        let opened = try opener.open(response.envelope)
        #expect(opened.withBytes { Wire.base64($0) } == response.plain)
    }

    /// (c): powerauth-crypto, branch `features/crypto4`, the first case of
    /// `E2ee_Application_Scope_Test_Vectors_33.json`; it gives the envelope key.
    @Test func `the published case with a known envelope key is reproduced, both ways`() throws {
        let bytes = try Wire.decode(
            "GtCyVKu326BCanbM/gW3V3ZpoOOJ1LS8KjBk8B94zYVD+2tsDMz2nXnqz6OhkIwf")
        let application = try Wire.application(
            key: "LP6or0cjm8Sy0tQICc4sPg==", secret: "X8QW4u2d6vBTQMqtOCWo9Q==")
        let scope = EncryptionScope.application(application)
        #expect(Wire.base64(scope.sharedInfo2) == "3gEL43Slkfqs7Uw4WW+9rlzU+JCVbYsTRzwFGSGmeis=")
        let context = EnvelopeContext(
            version: .v3_3, keys: try bytes.withUnsafeBytes { try EnvelopeKeys($0) },
            sharedInfo2: scope.sharedInfo2,
            associatedData: scope.associatedData(
                .v3_3, keyID: "2d6bf693-3928-4c01-a8d5-7c4a9671261e"))
        let nonce = try Wire.decode("VNwVoz8/RuN3K3yEyvu2XA==")
        let sealed = try context.seal(
            Secret("test_request".utf8), .init(nonce: nonce, timestamp: 1_749_762_178_620),
            ephemeral: Wire.decode(
                "BEQpQa3Ky1c1HjCqGSkzdW2ZRTZHbJQsSX0GgS4DZ3VDoxVTaqJAZU4v4q9/jAPVJ4OOJu6DA+Qh"
                    + "ELLbF2LSioo="))
        #expect(Wire.base64(sealed.data) == "JSp0iQhZGL+VeRiUsjLKDw==")
        #expect(Wire.base64(sealed.mac) == "pNJl6B58d2LEmKCX+g5Maus8y+KEmOMEUX6knCKsPwY=")
        let opened = try ResponseOpener(context, requestNonce: nonce).open([
            "encryptedData": "kCIuSywyz/O2gzVIFFgOHg==",
            "mac": "KKVy/nmlst8VReHN1Vhuz28w432mM0KM2q+3v+ofaqc=",
            "nonce": "1YCVQ3C3BooPTE4zLpyuwQ==", "timestamp": 1_749_762_178_677,
        ])
        #expect(Wire.text(opened) == "test_response")
    }

    @Test(arguments: [0, 1, 47, 49, 64])
    func `keys of another size than 48 bytes are refused`(count: Int) {
        let bytes = [UInt8](repeating: 1, count: count)
        let code = bytes.withUnsafeBytes { lent in
            refusal { () throws(PushError) in try EnvelopeKeys(lent) }
        }
        #expect(code == .invalidArgument)
    }

    @Test func `a shared secret that begins with a zero byte is taken whole`() throws {
        let server = try Wire.privateKey(7)
        for seed in UInt64(1)...5000 {
            let client = try Wire.privateKey(seed)
            let shared = try client.sharedSecretFromKeyAgreement(with: server.publicKey)
            let bytes = shared.withUnsafeBytes { Array($0) }
            guard bytes[0] == 0 else { continue }
            let keys = try EnvelopeKeys(shared, .v3_3, sharedInfo1: "/a", ephemeral: [2, 3])
            let expected = ReferenceServer.x963(bytes, Array("3.3/a".utf8) + [2, 3])
            #expect(bytes.count == 32)
            #expect(Wire.hex(keys.encryption) == Wire.hex(expected[..<16]))
            return
        }
        Issue.record("No shared secret begins with a zero byte.")
    }
}
