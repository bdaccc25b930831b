import Foundation
import PushCore
import Testing

@testable import PushPowerAuth

@Suite struct NormalizedRequestTests {
    private func text(
        _ uriID: String, method: String = "POST", nonce: Data = Sample.ascending(16),
        body: Data, secret: Secret
    ) -> String {
        let bytes = RequestSignature.normalized(
            method: method, uriID: uriID, nonce: nonce, body: body, applicationSecret: secret)
        return String(decoding: bytes.copy, as: UTF8.self)
    }

    private let secret = Secret(copying: "5to+u5pcUeAl7GPu7fNmug==")

    /// Computed by two independent programs; the vendor publishes none.
    @Test func `a request is written as in the example`() {
        #expect(
            text(
                "/operation/authorize",
                body: Data(#"{"requestObject":{"id":"1","data":"A2"}}"#.utf8), secret: secret)
                == "POST&L29wZXJhdGlvbi9hdXRob3JpemU=&AAECAwQFBgcICQoLDA0ODw==&eyJyZXF1ZXN0T2JqZWN0Ijp7ImlkIjoiMSIsImRhdGEiOiJBMiJ9fQ==&5to+u5pcUeAl7GPu7fNmug=="
        )
    }

    /// Computed by two independent programs; the vendor publishes none.
    @Test func `an offline operation is written as in the example`() throws {
        let body =
            "5ff1b1ed-a3cc-45a3-8ab0-ed60950312b6&A1*A100CZK*ICZ2730300000001165254011*D20180425"
        #expect(
            try text(
                "/operation/authorize/offline", nonce: Sample.data("AD8bOO0Df73kNaIGb3Vmpg=="),
                body: Data(body.utf8), secret: RequestSignature.offlineSecret)
                == "POST&L29wZXJhdGlvbi9hdXRob3JpemUvb2ZmbGluZQ==&AD8bOO0Df73kNaIGb3Vmpg==&NWZmMWIxZWQtYTNjYy00NWEzLThhYjAtZWQ2MDk1MDMxMmI2JkExKkExMDBDWksqSUNaMjczMDMwMDAwMDAwMTE2NTI1NDAxMSpEMjAxODA0MjU=&offline"
        )
    }

    @Test func `an empty body leaves nothing between its separators`() {
        #expect(
            text("/x", method: "GET", body: Data(), secret: secret)
                == "GET&L3g=&AAECAwQFBgcICQoLDA0ODw==&&5to+u5pcUeAl7GPu7fNmug==")
    }

    @Test func `bodies of every length, slices among them, are Base64 as the library writes it`() {
        for count in 0..<70 {
            let body = (Data([255]) + Data((0..<count).map { UInt8(255 - $0) }))[1...]
            let parts = text("/x", body: body, secret: secret).split(
                separator: "&", omittingEmptySubsequences: false)
            #expect(parts.count == 5)
            #expect(parts[3] == body.base64EncodedString())
        }
    }

    @Test func `a name beyond ASCII goes in as its bytes`() {
        #expect(text("/ä/e\u{301}", body: Data(), secret: secret).hasPrefix("POST&L8OkL2XMgQ==&"))
    }
}
