import Foundation
import PushCore
import Testing

@testable import PushPowerAuth

@Suite struct DecimalTextTests {
    @Test(arguments: [
        ("100", "100"), ("100.5", "100.5"), ("100.50", "100.5"), ("0.1", "0.1"), ("-0.1", "-0.1"),
        ("0", "0"), ("-5", "-5"), ("9223372036854775807", "9223372036854775807"),
        ("0.00001", "0.00001"), ("1.5e-7", "0.00000015"), ("1e3", "1000"),
        ("1.25e20", "125000000000000000000"),
        ("123456789012.345", "123456789012.345"), ("1e21", "1000000000000000000000"),
        (#""100.50""#, "100.50"), (#""-0.0000000000000000001""#, "-0.0000000000000000001"),
        (#""123456789012345678901234567890.12""#, "123456789012345678901234567890.12"),
    ])
    func `a number is told exactly`(_ json: String, _ text: String) throws {
        let read = try #require(DecimalText.text(try JSON(parsing: json)))
        #expect(read == text)
        #expect(Decimal(string: read) != nil)
    }

    @Test(arguments: [
        "1234567890123456.78", "0.12345678901234567", "18446744073709551617.5", #""1,5""#, #""""#,
        #""1.""#, #"".5""#, #""1.2.3""#, #""--1""#, #""1e3""#, #"" 1""#, #""+1""#, #""٣""#, "true",
        "null", "[1]", "{}", "1e99",
    ])
    func `what can't be told exactly isn't told`(_ json: String) throws {
        #expect(DecimalText.text(try JSON(parsing: json)) == nil)
    }

    @Test func `no number is no text`() {
        #expect(DecimalText.text(nil) == nil)
    }
}
