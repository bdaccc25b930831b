import Crypto
import Foundation
import PushCore
import Testing

@testable import PushPowerAuth

/// Requests that the vendor's iOS SDK made, from powerauth-crypto's `GeneralEncryptorTest`
/// (Apache 2.0), with every value in between.
struct EnvelopeVector: Sendable, CustomTestStringConvertible {
    struct Message: Sendable {
        let nonce, data, mac, plain: String
        let timestamp: Int64
        let vector: String
    }

    let testDescription: String
    let sharedInfo1, serverKey, keyID, ephemeral, shared, envelopeKey, sharedInfo2: String
    var activation: (id: String, transportKey: String)?
    let associatedData: String
    let request: Message
    var response: Message?

    static let applicationKey = "WQBeNgCHGlW58rzUlP7Ehg=="
    static let applicationSecret = "Epbv1D+tibvvkqGIyDOT5g=="

    static let all = [application, activation]

    static let application = EnvelopeVector(
        testDescription: "application scope", sharedInfo1: "/pa/activation",
        serverKey: "oG1PJWwflQ8XRt4Nf4uzyBf0w0D4jNW22JxfImj4i5w=",
        keyID: "D3D82A6B-47CF-4225-BBE5-BAD96FB84CA4",
        ephemeral: "AgGQFxV3lw5VDbHHI6lTdoUOMvA+ciXc+JFI8OsY4ErK",
        shared: "81b0426b7e447fe141e27efd098dd28a5642b27d25e94834a8a901feb8152b36",
        envelopeKey: "5d24be253d12f28d9f5cf02b659fcc63ef4ca84c49579a46d650ab489c33958f"
            + "e2e62ac676c84a9793cdda1f260a1366",
        sharedInfo2: "31743e261da9359c1636a6bafd7ab820b17828439954abe712da993a19947877",
        associatedData: "00000003332e3300000018575142654e674348476c573538727a556c50374568673d3d"
            + "0000002444334438324136422d343743462d343232352d424245352d424144393646423834434134",
        request: Message(
            nonce: "L9wCRvnLTUkla7IAlrprEQ==",
            data: "Kb0IVdVE5aicv70QY6cfDnE690jVhEqhOct28y1r7G0=",
            mac: "mbyD0Z341x6pkXNwhA8Q8DQzP9Pk6E3CkYxJ+7pAauA=",
            plain: "K6cp8f5FyfsE3kv2HJubaJ9b5ILXAMc=", timestamp: 1_723_109_505_420,
            vector: "b799c14a0918d66507ee22625b152312"),
        response: Message(
            nonce: "qPtFVgDgtgJpNTzuElDoVA==",
            data: "l+Yl3JfRpcr+ReXSDdTo2GVbe+c98rpfX3vODqnrpkk=",
            mac: "cRPSf7+3IA8M1zjQnGEixuFlJ5O6hsmzvWeB2xFHfCI=",
            plain: "GMHLlB1cZzelL0+5/JUOVnUzI44eN54zxA==", timestamp: 1_723_109_505_421,
            vector: "1f7e89e4b3dcea29644ce6992fa5e245"))

    static let activation = EnvelopeVector(
        testDescription: "activation scope", sharedInfo1: "/pa/token/create",
        serverKey: "98pEwpFj60r8REpXzrflb5kzgj1aoxg1YEuKb0Kuwyk=",
        keyID: "1221CD15-9092-4779-A157-04DC229A63F7",
        ephemeral: "A1Ph49CFAdWfQFlzYPDeaFdipYMJGY+qYWEJgphvE601",
        shared: "d99d9cd9ede406dd2fb9ee11494e16280580904145e036a1a74bb05aba9f777e",
        envelopeKey: "2419b9d99b70298041c55ec0af95ad7f863d3930eff4e536a4512fed625803be"
            + "323094507002d6ba0a95efd086e40a9f",
        sharedInfo2: "6530d6dcb4a44f6e1eaa0eb8809637590aa274149b1427e565e8c8010aaa7f57",
        activation: ("CF2E9A48-9085-4AA3-8F85-FFAFD2380609", "EsOk4R701klML5Ljd07Y5Q=="),
        associatedData: "00000003332e3300000018575142654e674348476c573538727a556c50374568673d3d"
            + "0000002443463245394134382d393038352d344141332d384638352d464641464432333830363039"
            + "0000002431323231434431352d393039322d343737392d413135372d303444433232394136334637",
        request: Message(
            nonce: "EoNe/DqID0Isa15tzFeTYw==",
            data: "v5chxkMsHJanOOw/av+oRbPsk2Va226igxQ+2frT3AraTLwJxotHocnTFxyK7pNk",
            mac: "0yjA3GDiKJooZMi2hOkkD+aICpY7Slo/nzg0oTYrqJM=",
            plain: "17e8s/ckRIR52A964Vb/AXZ/Gcv4yT1RCS42ZUiwegzk", timestamp: 1_723_109_505_421,
            vector: "ff1f95bb0a954d304b11e7bb5fc7a97a"))
}

extension EnvelopeVector {
    func serverPrivateKey() throws -> P256.KeyAgreement.PrivateKey {
        try P256.KeyAgreement.PrivateKey(rawRepresentation: Wire.decode(serverKey))
    }

    func scope() throws -> EncryptionScope {
        let application = try Wire.application(
            key: Self.applicationKey, secret: Self.applicationSecret)
        guard let activation else { return .application(application) }
        return .activation(
            application, activationID: activation.id,
            transportKey: Secret(try Wire.decode(activation.transportKey)))
    }

    /// What both sides agree on, as the server finds it: the vendor kept no ephemeral private key.
    func sharedSecret() throws -> SharedSecret {
        try serverPrivateKey().sharedSecretFromKeyAgreement(
            with: P256.KeyAgreement.PublicKey(compressedRepresentation: Wire.decode(ephemeral)))
    }

    func context() throws -> EnvelopeContext {
        let keys = try EnvelopeKeys(
            sharedSecret(), .v3_3, sharedInfo1: sharedInfo1, ephemeral: Wire.decode(ephemeral))
        let scope = try scope()
        return EnvelopeContext(
            version: .v3_3, keys: keys, sharedInfo2: scope.sharedInfo2,
            associatedData: scope.associatedData(.v3_3, keyID: keyID))
    }
}

extension EnvelopeVector.Message {
    func freshness() throws -> EnvelopeContext.Freshness {
        try EnvelopeContext.Freshness(nonce: Wire.decode(nonce), timestamp: timestamp)
    }

    var envelope: JSON {
        [
            "encryptedData": .string(data), "mac": .string(mac), "nonce": .string(nonce),
            "timestamp": .integer(timestamp),
        ]
    }
}
