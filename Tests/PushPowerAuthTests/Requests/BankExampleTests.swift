import Crypto
import Foundation
import PushCore
import PushJOSE
import PushTesting
import Testing

@testable import PushPowerAuth

/// Worked examples of a bank's own requests. The project computed them with a Python program, and the
/// vendor's mobile core agreed with the same computations for versions 3.1, 3.2 and 3.3; the vendor
/// publishes no such numbers.
@Suite struct BankExampleTests {
    /// The keys of all examples: scalars are SHA-256 of a text.
    struct Keys {
        let device: P256.KeyAgreement.PrivateKey
        let server: P256.KeyAgreement.PrivateKey
        let keys: ActivationKeys

        init() throws {
            device = try Self.key("bank device")
            server = try Self.key("bank server")
            keys = try ActivationKeys(
                devicePrivateKey: device, serverPublicKey: CurvePoint(server.publicKey))
        }

        static func key(_ text: String) throws -> P256.KeyAgreement.PrivateKey {
            try P256.KeyAgreement.PrivateKey(
                rawRepresentation: Data(SHA256.hash(data: Data(text.utf8))))
        }
    }

    private let nonce = Data(0x60...0x6F)
    private let secret = Secret(copying: "MDEyMzQ1Njc4OTo7PD0+Pw==")
    private let counter: SignatureCounter
    private let keys: ActivationKeys
    private let pair: Keys

    init() throws {
        pair = try Keys()
        keys = pair.keys
        counter = try SignatureCounter(data: Secret(Data(0x50...0x5F)))
    }

    @Test func `the keys are those of the example`() throws {
        #expect(keys.possession.hex == "116cfd90d67375f12c27731de1e91ebe")
        #expect(keys.knowledge.hex == "dacc366cf57b24b8b124355603428b87")
        #expect(keys.biometry.hex == "294f71e175f3f6a0fb36dd810937d5a0")
        #expect(keys.transport.hex == "248d8ecde7a54564284da53af7de0ec9")
        #expect(keys.vault.hex == "d347165c09f310616c6dadf2907730dd")
        #expect(pair.device.rawRepresentation.first == 0)
    }

    @Test func `a GET is written and signed as in the example`() throws {
        let query = try CanonicalQuery(
            ofPath:
                "/secured/account/list?page=2&iban=CZ65%200800&note=%C5%BE%20%C3%B3&Zeta=*~&empty=")
        #expect(
            query.text == "Zeta=*%7E&empty=&iban=CZ65+0800&note=%C5%BE+%C3%B3&page=2")
        let text = RequestSignature.normalized(
            method: "GET", uriID: "/secured/account/list", nonce: nonce,
            body: Data(query.text.utf8), applicationSecret: secret)
        #expect(
            text.copiedText()
                == "GET&L3NlY3VyZWQvYWNjb3VudC9saXN0&YGFiY2RlZmdoaWprbG1ubw==&WmV0YT0qJTdFJmVtcHR5PSZpYmFuPUNaNjUrMDgwMCZub3RlPSVDNSVCRSslQzMlQjMmcGFnZT0y&MDEyMzQ1Njc4OTo7PD0+Pw=="
        )
        #expect(
            try RequestSignature.online(
                keys: [keys.possession, keys.knowledge], counter: counter, over: text)
                == "/SpNVz6O+sjnJOnur6tj6q0pGJQkEdOaUqLYTb/wjdg=")
        #expect(
            try RequestSignature.online(keys: [keys.possession], counter: counter, over: text)
                == "/SpNVz6O+sjnJOnur6tj6g==")
    }

    @Test func `a mark that would combine with the question mark is signed as it's sent`() throws {
        #expect(try CanonicalQuery(ofPath: "/x?\u{301}a=1").text == "%CC%81a=1")
    }

    private let body = Data(#"{"to":"CZ6508000000192000145399","amount":"100.00"}"#.utf8)

    @Test func `a POST is signed as in the example, with the counter after it`() throws {
        let next = counter.next()
        #expect(next.data.base64 == "IjQud4iVJMle2gVV9j+iCQ==")
        let text = RequestSignature.normalized(
            uriID: "/secured/payment", nonce: nonce, body: body, applicationSecret: secret)
        #expect(
            try RequestSignature.online(
                keys: [keys.possession, keys.knowledge], counter: next, over: text)
                == "NnAr1IWfxaUpmuMkYNefB57Al8v9bgHfKkwKDpBWqCs=")
    }

    @Test func `the same body is encrypted as in the example`() throws {
        let envelope = try sealed(
            body, "/pa/generic/activation",
            .activation(
                application(), activationID: "6a7d3f02-9c1e-4b58-8f3a-0d6b5e2c4a91",
                transportKey: keys.transport))
        #expect(
            envelope["ephemeralPublicKey"]?.string
                == "A6IE4lLI/uZspgkKQ4Oka2UEiIkdMxHNdpg4Vq+QWxlN")
        #expect(
            envelope["encryptedData"]?.string
                == "LXkaiytqo/ZAfiOyZuGdf6Qzoh5TegR+8VPes+y7sF1i2RTOJ6XCH8NcHlDsl8iR/JY2GUrhJBxL8UGcktXFLA=="
        )
        #expect(envelope["mac"]?.string == "if26H53F3a6ggumQb/+BTZVrVDupI6pEKCaf2xZ9/hU=")
    }

    @Test func `a question in the application's scope is encrypted as in the example`() throws {
        let envelope = try sealed(
            Data(#"{"providerId":"bank"}"#.utf8), "/pa/generic/application",
            .application(application()))
        #expect(
            envelope["encryptedData"]?.string == "iJLAZ4iIdgxIbWbwBFMnrwAxrAjg7G2nTFS0vBNpK8U=")
        #expect(envelope["mac"]?.string == "nK00UckphdTIKvU9w4VkniKq5K4gtxc9FaB5Knpy9RU=")
    }

    // MARK: The vault

    private func vault(_ lent: String) throws -> PowerAuthOpenVault {
        let vaultKey = try BlockCipher.decrypt(
            Sample.data(lent), key: keys.transport, iv: BlockCipher.zeroIV, padding: true)
        return try PowerAuthOpenVault(
            vaultKey: vaultKey,
            locked: Sample.secret("me1Rvpv8iz5ay230IQii2qwiF/2kPQvQ4gReNR6e2Kw="),
            serverKey: CurvePoint(pair.server.publicKey))
    }

    /// The device's key has 31 bytes here, as one in 256 has.
    @Test func `the vault opens as in the example, with a key of 31 bytes`() throws {
        let vault = try vault("hazfBoiooXLf4BslOxwfGTNrgnrJgE3bnJey2YsjUaI=")
        #expect(try vault.encryptionKey(.init(index: 0)).base64 == "RtMcT3s9t7zri7GNhVSOyA==")
        #expect(try vault.encryptionKey(.init(index: 1)).base64 == "mkw2pdd0f+NNV1RKStBbkw==")
        #expect(try vault.encryptionKey(.init(index: 1977)).base64 == "Vuy5pwrEg9sNxDY+HmFi1Q==")
        #expect(vault.keys.biometry.hex == keys.biometry.hex)
        let key = try P256.Signing.PublicKey(
            x963Representation: pair.device.publicKey.x963Representation)
        let data = Data("contract 42".utf8)
        for der in [
            try vault.signature(over: data),
            try Sample.data(
                "MEUCIDCqnbFbo3RZ0CRG6dc/qO2V+Fo+LGlXVuHAfo/3l5c1AiEA4M87ajCK6lfjVjFGWEPOHqAZNpKTiiseYeVFsAGYHdI="
            ),
        ] {
            #expect(key.isValidSignature(try .init(derRepresentation: der), for: data))
        }
        for jwt in [
            try vault.jwt(of: ["sub": "1", "nbf": 1_750_000_000]),
            "eyJhbGciOiJFUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxIiwibmJmIjoxNzUwMDAwMDAwfQ.iLMp8q9YTgboqvrkys05FeQi_noax7EKusKRPknT5p3KBgg7EWq6OFt6D_eM1ShijwIHSGzkKGNUY32n_WUeBQ",
        ] {
            #expect(
                jwt.hasPrefix(
                    "eyJhbGciOiJFUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxIiwibmJmIjoxNzUwMDAwMDAwfQ."))
            _ = try UnverifiedJWT(parsing: jwt).verified(by: ES256PublicKey(key))
        }
    }

    private func application() throws -> PowerAuthApplication {
        try PowerAuthApplication(
            key: "ICEiIyQlJicoKSorLC0uLw==", secret: secret,
            masterPublicKey: pair.server.publicKey.x963Representation)
    }

    private func sealed(
        _ plain: Data, _ sharedInfo1: String, _ scope: EncryptionScope
    ) throws -> JSON {
        let temporary = try Keys.key("bank temporary key")
        let ephemeral = try Keys.key("bank ephemeral key").rawRepresentation
        let key = EncryptionKey(
            id: "a1c0b7de-52f4-4d3b-9a68-7e0f1b2c3d4e",
            publicKey: CurvePoint(temporary.publicKey))
        let encryptor = try RequestEncryptor(
            version: .v3_3, scope: scope, key: key, sharedInfo1: sharedInfo1,
            random: PlannedRandom(always: Array(ephemeral), Array(0x70...0x7F)))
        return try encryptor.seal(
            Secret(plain), timestamp: Date(timeIntervalSince1970: 1_750_000_000)
        ).body
    }
}
