import Foundation
import PushCore
import Testing

@testable import PushPowerAuth

/// With the keys of powerauth-crypto, `compute-derived-keys.json` #0; the headers were computed by
/// two independent programs.
@Suite struct SignatureHeaderTests {
    private let possession: Secret
    private let knowledge: Secret
    private let secret = Secret(copying: "5to+u5pcUeAl7GPu7fNmug==")

    init() throws {
        possession = try Sample.secret("M3p1tPYouptaX8z5Dhc2cw==")
        knowledge = try Sample.secret("SG3aE8VTXg6wzkuNuZWaIg==")
    }

    private func header(
        _ version: PowerAuthVersion = .v3_3, id: String = "6ae8cd16-67a7-4840-8d37-33d9aab6ea51",
        signature: String
    ) throws -> String {
        try SignatureHeader(
            version: version, activationID: id, applicationKey: "lbNrg+B157tbojC487941A==",
            nonce: Array(Sample.ascending(16)), factors: .possessionKnowledge, signature: signature
        ).text()
    }

    @Test func `a request's header is that of the example`() throws {
        let data = RequestSignature.normalized(
            uriID: "/operation/authorize", nonce: Sample.ascending(16),
            body: Data(#"{"requestObject":{"id":"1","data":"A2"}}"#.utf8),
            applicationSecret: secret)
        let signature = try RequestSignature.online(
            keys: [possession, knowledge], counter: Sample.counter("64H8UkXgWHtwWOJ4a1FIQQ=="),
            over: data)
        #expect(
            try header(signature: signature)
                == #"PowerAuth pa_version="3.3", pa_activation_id="6ae8cd16-67a7-4840-8d37-33d9aab6ea51", pa_application_key="lbNrg+B157tbojC487941A==", pa_nonce="AAECAwQFBgcICQoLDA0ODw==", pa_signature_type="possession_knowledge", pa_signature="wky67MNGaa3gjVmcmybHM1sBNmsqz67XpPLRDllfCPk=""#
        )
    }

    @Test func `a rejection's signature is that of the example`() throws {
        let data = RequestSignature.normalized(
            uriID: "/operation/cancel", nonce: Sample.ascending(16),
            body: Data(#"{"requestObject":{"id":"1","reason":"UNEXPECTED_OPERATION"}}"#.utf8),
            applicationSecret: secret)
        let counter = try Sample.counter("64H8UkXgWHtwWOJ4a1FIQQ==").next()
        #expect(
            try RequestSignature.online(keys: [possession], counter: counter, over: data)
                == "iksPFvXRBc74EVsg4nicbg==")
    }

    @Test func `the header names the version that the client speaks`() throws {
        for version in PowerAuthVersion.allCases {
            let text = try header(version, signature: "x")
            #expect(text.hasPrefix("PowerAuth pa_version=\"\(version.rawValue)\", "))
            #expect(text.split(separator: ", ").count == 6)
        }
    }

    @Test func `an identifier that would break out of the header is refused`() {
        for id in ["a\", pa_version=\"3.0", "a\r\nX-Other: 1"] {
            #expect(
                Sample.refusal { _ = try header(id: id, signature: "x") } == .invalidArgument)
        }
    }

    @Test func `factors are named as servers know them`() {
        #expect(
            SignatureFactors.allCases.map(\.rawValue) == [
                "possession", "knowledge", "biometry", "possession_knowledge",
                "possession_biometry", "possession_knowledge_biometry",
            ])
    }
}
