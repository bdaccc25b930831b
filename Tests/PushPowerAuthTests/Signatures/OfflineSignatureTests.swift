import Foundation
import PushCore
import Testing

@testable import PushPowerAuth

@Suite struct OfflineSignatureTests {
    /// Of powerauth-crypto, `signatures-offline.json`.
    @Test func `one factor with four digits is the vendor's`() throws {
        let code = try RequestSignature.offline(
            keys: [Sample.secret("KusWzq7wrBAbNT7mIuDZPg==")],
            counter: Sample.counter("orZ9RZH55L6aCgIj3RVReA=="), over: Sample.secret("1yzfEaX2"),
            digits: 4)
        #expect(code == "8484")
    }

    /// Of powerauth-crypto, `signatures-offline.json`.
    @Test func `two factors with eight digits are the vendor's`() throws {
        let code = try RequestSignature.offline(
            keys: [
                Sample.secret("rWSnGv5rNZZ3Eys9kjjomQ=="),
                Sample.secret("QXKfIa3j0okOM0qFZVWmSg=="),
            ],
            counter: Sample.counter("L2mDa/Odkgfc+leYVp88ng=="),
            over: Sample.secret("cltd4/9wBmGk3N7EQ2UY"))
        #expect(code == "08954546-97214504")
    }

    /// With the keys of powerauth-crypto, `compute-derived-keys.json` #0; the codes were computed
    /// by two independent programs.
    private func operation(_ suffix: String = "", digits: Int = 8) throws -> String {
        let body =
            "5ff1b1ed-a3cc-45a3-8ab0-ed60950312b6&A1*A100CZK*ICZ2730300000001165254011*D20180425"
        let data = try RequestSignature.normalized(
            uriID: "/operation/authorize/offline", nonce: Sample.data("AD8bOO0Df73kNaIGb3Vmpg=="),
            body: Data((body + suffix).utf8), applicationSecret: RequestSignature.offlineSecret)
        return try RequestSignature.offline(
            keys: [
                Sample.secret("M3p1tPYouptaX8z5Dhc2cw=="),
                Sample.secret("SG3aE8VTXg6wzkuNuZWaIg=="),
            ],
            counter: Sample.counter("64H8UkXgWHtwWOJ4a1FIQQ=="), over: data, digits: digits)
    }

    @Test func `an operation's code is that of the example`() throws {
        #expect(try operation() == "18804321-12404994")
        #expect(try operation("&12345678") == "87376666-66680698")
    }

    @Test(arguments: [
        (4, "4321-4994"), (5, "04321-04994"), (6, "804321-404994"), (7, "8804321-2404994"),
        (8, "18804321-12404994"),
    ])
    func `fewer digits are the last of eight`(digits: Int, code: String) throws {
        #expect(try operation(digits: digits) == code)
    }

    @Test(arguments: [-1, 0, 3, 9, 10, .max, .min])
    func `no other number of digits is given`(digits: Int) {
        #expect(Sample.refusal { _ = try operation(digits: digits) } == .invalidArgument)
    }

    @Test func `three factors give three parts`() throws {
        let key = Secret(Sample.ascending(16))
        let code = try RequestSignature.offline(
            keys: [key, key, key], counter: SignatureCounter(data: key), over: key, digits: 5)
        #expect(code.split(separator: "-").map(\.count) == [5, 5, 5])
    }
}
