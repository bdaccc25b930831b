import Crypto
import Foundation
import PushCore
import PushTesting
import Testing

@testable import PushPowerAuth

struct ResponseOpenerTests {
    private static let plain = "{\"tokenId\":\"d6561669-34d6-4fee-8913-89477687a5cb\"}"

    private struct Opened {
        let opener: ResponseOpener
        let exchange: ReferenceServer.Exchange
        let response: JSON.Object
        let request: JSON
    }

    private func exchange(
        _ version: PowerAuthVersion = .v3_3, inActivation: Bool = true, seed: UInt64 = 1
    ) throws -> Opened {
        let server = try ReferenceServer(version, inActivation: inActivation)
        let (body, opener) = try server.encryptor(SeededRandom(seed: seed))
            .seal(Secret("{}".utf8), timestamp: Date(timeIntervalSince1970: 1_723_109_505))
        let exchange = try server.open(body)
        let response = try #require(exchange.response(Array(Self.plain.utf8)).object)
        return Opened(opener: opener, exchange: exchange, response: response, request: body)
    }

    private func code(_ opener: ResponseOpener, _ envelope: JSON) -> PushError.Code? {
        refusal { () throws(PushError) in try opener.open(envelope) }
    }

    @Test(arguments: versionsAndScopes)
    func `a response with any byte changed is refused`(
        version: PowerAuthVersion, inActivation: Bool
    ) throws {
        let known = try exchange(version, inActivation: inActivation)
        #expect(Wire.text(try known.opener.open(.object(known.response))) == Self.plain)
        var tried = 0
        for name in ["encryptedData", "mac", "nonce"] {
            guard let text = known.response[name]?.string else { continue }
            let bytes = try Wire.decode(text)
            for position in bytes.indices {
                for flip: UInt8 in [1, 0x80, 0xFF] {
                    var changed = bytes
                    changed[position] ^= flip
                    var envelope = known.response
                    envelope[name] = .string(Wire.base64(changed))
                    #expect(code(known.opener, .object(envelope)) == .untrusted)
                    tried += 1
                }
            }
        }
        #expect(tried == 3 * (version == .v3_1 ? 64 + 32 : 64 + 32 + 16))
    }

    @Test(arguments: [PowerAuthVersion.v3_2, .v3_3])
    func `a response with any bit of its time changed is refused`(version: PowerAuthVersion) throws
    {
        let known = try exchange(version)
        for bit in 0..<64 {
            var envelope = known.response
            envelope["timestamp"] = .number(
                .init(ReferenceServer.Exchange.timestamp ^ Int64(bitPattern: 1 << bit)))
            #expect(code(known.opener, .object(envelope)) == .untrusted)
        }
    }

    @Test(arguments: versionsAndScopes)
    func `a response whose text is changed anywhere opens to the same or not at all`(
        version: PowerAuthVersion, inActivation: Bool
    ) throws {
        let known = try exchange(version, inActivation: inActivation)
        let text = JSON.object(known.response).utf8
        for position in text.indices {
            for replacement in Array("A=\"0 ,}".utf8) where replacement != text[position] {
                var changed = text
                changed[position] = replacement
                guard let envelope = try? JSON(parsing: Data(changed)) else { continue }
                #expect(code(known.opener, envelope) == .untrusted)
            }
        }
    }

    @Test(arguments: PowerAuthVersion.allCases)
    func `each member must be there, and be of its type`(version: PowerAuthVersion) throws {
        let known = try exchange(version)
        for (name, _) in known.response.members {
            for value: JSON? in [nil, .null, "", 7, true, [], ["a": 1], "AAAA", -1] {
                var envelope = known.response
                envelope[name] = value
                #expect(code(known.opener, .object(envelope)) == .untrusted)
            }
        }
        for envelope: JSON in [.null, [], "", 7, .object([:]), [.object(known.response)]] {
            #expect(code(known.opener, envelope) == .untrusted)
        }
    }

    @Test(arguments: ["nonce", "mac", "encryptedData"])
    func `Base64 that isn't the one text of its bytes is refused`(name: String) throws {
        // Look for a text whose last character has spare bits, and for one that base64url spells
        // otherwise.
        var spare = 0
        var alphabet = 0
        for seed in UInt64(1)...12 {
            let known = try exchange(seed: seed)
            let text = try #require(known.response[name]?.string)
            var forms = [
                " " + text, text + " ", text + "\n", text + "=", text + "AAAA",
                String(text.prefix(5)) + "\r\n" + String(text.dropFirst(5)),
            ]
            if text.hasSuffix("=") {
                forms.append(text.replacingOccurrences(of: "=", with: ""))
                var bytes = Array(text.utf8)
                let last = try #require(bytes.lastIndex { $0 != UInt8(ascii: "=") })
                bytes[last] += 1
                forms.append(String(decoding: bytes, as: UTF8.self))
                spare += 1
            }
            let url = text.replacingOccurrences(of: "+", with: "-")
                .replacingOccurrences(of: "/", with: "_")
            if url != text {
                forms.append(url)
                alphabet += 1
            }
            for form in forms {
                var envelope = known.response
                envelope[name] = .string(form)
                #expect(code(known.opener, .object(envelope)) == .untrusted)
            }
        }
        #expect(name == "encryptedData" || spare > 0)
        #expect(name == "nonce" || alphabet > 0)
    }

    @Test func `the trailing bits of a nonce can't be used, though its bytes are the same`() throws
    {
        let known = try exchange()
        let text = try #require(known.response["nonce"]?.string)
        let loose = text.dropLast(3) + "x=="
        #expect(Data(base64Encoded: String(loose))?.count == 16)
        var envelope = known.response
        envelope["nonce"] = .string(String(loose))
        #expect(code(known.opener, .object(envelope)) == .untrusted)
    }

    @Test(arguments: PowerAuthVersion.allCases)
    func `codes and nonces of another size are refused, truncated codes too`(
        version: PowerAuthVersion
    ) throws {
        let known = try exchange(version)
        for (name, size) in [("mac", 32), ("nonce", 16)] {
            guard let text = known.response[name]?.string else { continue }
            let bytes = try Wire.decode(text)
            for changed in [
                Array(bytes.prefix(size / 2)), Array(bytes.dropLast()), bytes + [0], bytes + bytes,
            ] {
                var envelope = known.response
                envelope[name] = .string(Wire.base64(changed))
                #expect(code(known.opener, .object(envelope)) == .untrusted)
            }
        }
    }

    @Test(arguments: PowerAuthVersion.allCases)
    func `members of other versions' envelopes are refused, but not null, and not unknown ones`(
        version: PowerAuthVersion
    ) throws {
        let known = try exchange(version)
        var foreign: [(String, JSON)] = [
            ("temporaryKeyId", "D3D82A6B-47CF-4225-BBE5-BAD96FB84CA4"),
            ("ephemeralPublicKey", "AgGQFxV3lw5VDbHHI6lTdoUOMvA+ciXc+JFI8OsY4ErK"),
        ]
        if version == .v3_1 {
            foreign += [("nonce", "L9wCRvnLTUkla7IAlrprEQ=="), ("timestamp", 1_723_109_505_421)]
        }
        for (name, value) in foreign {
            var envelope = known.response
            envelope[name] = value
            #expect(code(known.opener, .object(envelope)) == .untrusted)
            envelope[name] = .null
            #expect(code(known.opener, .object(envelope)) == nil)
        }
        var envelope = known.response
        envelope["acme"] = 1
        #expect(Wire.text(try known.opener.open(.object(envelope))) == Self.plain)
    }

    @Test(arguments: versionsAndScopes)
    func `the response to another request is refused`(
        version: PowerAuthVersion, inActivation: Bool
    ) throws {
        let one = try exchange(version, inActivation: inActivation, seed: 1)
        let other = try exchange(version, inActivation: inActivation, seed: 2)
        #expect(code(one.opener, .object(other.response)) == .untrusted)
        #expect(code(other.opener, .object(other.response)) == nil)
    }

    @Test(arguments: [PowerAuthVersion.v3_2, .v3_3])
    func `a request that is played back isn't its own response`(version: PowerAuthVersion) throws {
        let known = try exchange(version)
        var envelope = try #require(known.request.object)
        envelope["ephemeralPublicKey"] = nil
        envelope["temporaryKeyId"] = nil
        #expect(code(known.opener, .object(envelope)) == .untrusted)
    }

    @Test(arguments: PowerAuthVersion.allCases)
    func `what is wrong can't be told from the error`(version: PowerAuthVersion) throws {
        let known = try exchange(version)
        var forged = known.response
        forged["mac"] = .string(Wire.base64([UInt8](repeating: 0, count: 32)))
        // The code is right, but padding, size or presence of the ciphertext isn't.
        let genuine = try [
            [UInt8](repeating: 1, count: 16), [UInt8](repeating: 1, count: 32),
            [UInt8](repeating: 1, count: 17), [],
        ].map { try known.exchange.response(ciphertext: $0) }
        let errors = ([.object(forged), .object([:])] + genuine).map { envelope in
            do throws(PushError) {
                _ = try known.opener.open(envelope)
                return "opened"
            } catch {
                return "\(error)\(String(describing: error.underlying))"
            }
        }
        #expect(Set(errors).count == 1)
        #expect(errors.first?.hasPrefix("untrusted") == true)
    }

    @Test func `an empty answer is an answer`() throws {
        let known = try exchange()
        #expect(try known.opener.open(known.exchange.response([])).count == 0)
    }
}
