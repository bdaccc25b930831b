import Foundation
import Testing

/// What the vendor publishes and these suites compute, so that a page can say how much it is.
@Suite struct PublishedCasesTests {
    /// A published case, and a value of it that a suite compares.
    private struct Case {
        let source: String
        let suite: String
        let value: String

        init(_ source: String, _ suite: String, _ value: String) {
            self.source = source
            self.suite = suite
            self.value = value
        }
    }

    private static let cases = [
        Case(
            "signatures-v31.json, one factor", "Signatures/OnlineSignatureTests",
            "GmgjmAygegJfN19Q7hsiYA=="),
        Case(
            "signatures-v31.json, two factors", "Signatures/OnlineSignatureTests",
            "Q5Qzf5y1Kfw0UklQY60dHJLnY4TELSR+E8kD6iuEjwQ="),
        Case(
            "signatures-v31.json, three factors", "Signatures/OnlineSignatureTests",
            "yg6OJqf5ZdsgEdDuDm/q5RA8p2cDbiYzUCPaf4u1rLv56oJi8jojLt16yfJkqnz3"),
        Case("signatures-offline.json, one factor", "Signatures/OfflineSignatureTests", "8484"),
        Case(
            "signatures-offline.json, two factors", "Signatures/OfflineSignatureTests",
            "08954546-97214504"),
        Case(
            "compute-master-secret-key.json #0", "Keys/ActivationKeysTests",
            "3dgzZJ/h4QsBXia/PIaRsQ=="),
        Case(
            "compute-derived-keys.json #0", "Keys/ActivationKeysTests", "6o4or/gFtBu5Wb1ayqdgyQ=="),
        Case("public-key-fingerprint-v3.json #0", "Keys/FingerprintTests", "80201993"),
        Case("public-key-fingerprint-v3.json #32", "Keys/FingerprintTests", "68789801"),
        Case(
            "verify-activation-data-signature-v3.json #0", "Codes/SignedActivationCodeTests",
            "GYA4L-D4C7K-OP2NV-USYYQ"),
        Case(
            "activation-status-blob-data.json #1", "Status/ActivationStatusBlobTests",
            "f2e70bef4a1842e405bfc851fd1d6834"),
        Case(
            "activation-status-blob-data.json #6", "Status/ActivationStatusBlobTests",
            "bUjWHzr81H/RJkoUSpMPdQ=="),
        Case(
            "GeneralEncryptorTest, application scope, request", "Encryption/EnvelopeVectors",
            "mbyD0Z341x6pkXNwhA8Q8DQzP9Pk6E3CkYxJ+7pAauA="),
        Case(
            "GeneralEncryptorTest, application scope, response", "Encryption/EnvelopeVectors",
            "cRPSf7+3IA8M1zjQnGEixuFlJ5O6hsmzvWeB2xFHfCI="),
        Case(
            "GeneralEncryptorTest, activation scope, request", "Encryption/EnvelopeVectors",
            "0yjA3GDiKJooZMi2hOkkD+aICpY7Slo/nzg0oTYrqJM="),
        Case(
            "E2ee_Application_Scope_Test_Vectors_33.json, the first",
            "Encryption/EnvelopeVectorTests", "pNJl6B58d2LEmKCX+g5Maus8y+KEmOMEUX6knCKsPwY="),
    ]

    private static func text(_ path: String) throws -> String {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent(path).standardizedFileURL
        return try String(contentsOf: file, encoding: .utf8)
    }

    @Test func `the vendor's page names every published case that is computed, and how many`()
        throws
    {
        let page = try Self.text("../../docs/vendors/powerauth.md")
        for one in Self.cases {
            #expect(try Self.text(one.suite + ".swift").contains(one.value), "\(one.source)")
            let file = one.source.prefix { $0 != " " && $0 != "," }
            #expect(page.contains("`\(file)`"), "\(file)")
        }
        #expect(page.contains("\(Self.cases.count) published cases"))
        print("Published cases of PowerAuth 3.1 to 3.3 that are computed: \(Self.cases.count)")
    }
}
