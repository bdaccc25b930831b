import Foundation
import PushCore
import PushJOSE
import Testing

struct JWSShapeTests {
    private let header = RFC7515A1.header
    private let payload = RFC7515A1.payload
    private let signature = RFC7515A1.signature

    private func key() throws -> HS256Key {
        try HS256Key(try jwk(RFC7515A1.jwk), for: .verify)
    }

    private func outcome(_ text: String, _ encoding: JWSEncoding = .strict) throws -> PushError
        .Code?
    {
        let key = try key()
        return refusal {
            try UnverifiedJWS(parsing: text, encoding: encoding).verified(by: key)
        }
    }

    @Test func `anything but three non-empty parts is refused`() throws {
        for text in [
            "", ".", "..", "...", "a", "\(header)", "\(header).\(payload)", "\(header).\(payload).",
            "\(header)..\(signature)", ".\(payload).\(signature)", ".\(RFC7515A1.jws)",
            "\(RFC7515A1.jws).", "\(RFC7515A1.jws).\(signature)",
            "\(header)..\(payload).\(signature)",
            "\(header).\(payload)..\(signature)",
        ] {
            #expect(try outcome(text) == .malformed, "\(text)")
            #expect(try outcome(text, .anyAlphabet) == .malformed, "\(text)")
        }
    }

    @Test func `nothing may stand around or within`() throws {
        let jws = RFC7515A1.jws
        for text in [
            " \(jws)", "\(jws) ", "\(jws)\n", "\(jws)\r\n", "\n\(jws)", "\(jws)\u{0}", "\"\(jws)\"",
            "Bearer \(jws)", "\(header) .\(payload).\(signature)",
            "\(header). \(payload).\(signature)",
            "\u{FEFF}\(jws)", "\(header).\(payload).\(signature)é",
        ] {
            #expect(try outcome(text) == .malformed, "\(text)")
            #expect(try outcome(text, .anyAlphabet) == .malformed, "\(text)")
        }
    }

    @Test func `padding and the other alphabet are refused unless asked for`() throws {
        let padded = "\(header).\(payload)==.\(signature)="
        let standard = padded.replacing("-", with: "+").replacing("_", with: "/")
        #expect(try outcome(padded) == .malformed)
        #expect(try outcome(standard) == .malformed)
        #expect(try outcome("\(header).\(payload).\(signature)=") == .malformed)
        #expect(try outcome("\(header).\(payload).\(signature)=", .anyAlphabet) == nil)
        let mixed = signature.replacing("-", with: "+")
        #expect(try outcome("\(header).\(payload).\(mixed)", .anyAlphabet) == nil)
    }

    @Test func `leniency doesn't change what is signed`() throws {
        // The same payload bytes, written differently, aren't what was signed.
        let text = "\(header).\(payload)==.\(signature)"
        #expect(try outcome(text, .anyAlphabet) == .untrusted)
    }

    @Test func `a payload that was signed in another alphabet verifies as it was received`() throws
    {
        let payload = Base64.encode([0xFB, 0xFF, 0xBF, 0x22])
        #expect(payload == "+/+/Ig==")
        let input = "\(header).\(payload)"
        let key = try key()
        let signature = Base64.encode(key.signature(over: Data(input.utf8)))
        let jws = try UnverifiedJWS(parsing: "\(input).\(signature)", encoding: .anyAlphabet)
        #expect(try jws.verified(by: key).payload == Data([0xFB, 0xFF, 0xBF, 0x22]))
        #expect(try outcome("\(input).\(signature)") == .malformed)
    }

    @Test func `the header stays strict`() throws {
        let header = Base64.encode(Array(#"{"alg":"HS256","a":1}"#.utf8))
        let padded = Base64.encode(Array(#"{"alg":"HS256","a":12}"#.utf8))
        #expect(!header.hasSuffix("=") && padded.hasSuffix("="))
        for (header, expected) in [(header, nil), (padded, PushError.Code.malformed)] {
            let input = "\(header).\(payload)"
            let signature = Base64.encode(try key().signature(over: Data(input.utf8)))
            #expect(try outcome("\(input).\(signature)", .anyAlphabet) == expected)
        }
    }

    @Test func `a last character with unused bits is refused`() throws {
        // Of the payload's 95 characters' last, two bits are unused; of the signature's 43, too.
        #expect(signature.last == "k")
        for other in ["l", "m", "n"] {
            let text = "\(header).\(payload).\(signature.dropLast())\(other)"
            #expect(try outcome(text) == .malformed)
            #expect(try outcome(text, .anyAlphabet) == nil)
        }
    }

    @Test func `every truncation is refused`() throws {
        let jws = RFC7515A1.jws
        for length in 0..<jws.count {
            #expect(try outcome(String(jws.prefix(length))) != nil, "\(length)")
            #expect(try outcome(String(jws.suffix(length))) != nil, "\(length)")
        }
    }

    @Test func `parts of two messages don't make a third`() throws {
        let other = try key().compactJWS(of: Data(#"{"iss":"eve"}"#.utf8)).split(separator: ".")
        for text in [
            "\(other[0]).\(payload).\(signature)", "\(header).\(other[1]).\(signature)",
            "\(header).\(payload).\(other[2])", "\(other[0]).\(other[1]).\(signature)",
            "\(other[0]).\(payload).\(other[2])", "\(header).\(other[1]).\(other[2])",
        ] {
            #expect(try outcome(text) == .untrusted)
        }
    }

    @Test func `a text above the limit is refused before it is read`() throws {
        let jws = RFC7515A1.jws
        var limits = JSON.Limits()
        limits.bytes = jws.utf8.count
        _ = try UnverifiedJWS(parsing: jws, limits: limits)
        limits.bytes -= 1
        #expect(refusal { try UnverifiedJWS(parsing: jws, limits: limits) } == .malformed)
    }

    @Test func `text, part of a text and bytes are read alike`() throws {
        let key = try key()
        let quoted = "'\(RFC7515A1.jws)'"
        let part = try UnverifiedJWS(parsing: quoted.dropFirst().dropLast()).verified(by: key)
        let bytes = try UnverifiedJWS(parsing: Data(RFC7515A1.jws.utf8)).verified(by: key)
        let slice = Data(quoted.utf8).dropFirst().dropLast()
        let sliced = try UnverifiedJWS(parsing: slice).verified(by: key)
        #expect(part.payload == bytes.payload)
        #expect(sliced.payload == bytes.payload)
    }
}
