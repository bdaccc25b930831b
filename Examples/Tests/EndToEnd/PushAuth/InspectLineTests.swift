import Foundation
import PushCore
import Testing

@testable import PushAuthCommand

/// That scripts can compare what `pushauth inspect` prints line by line, and that nothing secret is
/// in it.
@Suite struct `a line of pushauth inspect` {
    @Test func `names every provider, also those that aren't configured`() async throws {
        try await PushAuthSite.run { site in
            try site.configure("[providers.xignin]\nenabled = false\n")
            let result = try await site.pushauth("inspect", "--json", input: "{\"a\":1}")
            let views = try #require(try result.json["providers"]?.array)
            #expect(views.map { $0["provider"]?.string } == ExpectedVendor.names)
            #expect(views.allSatisfy { $0["recognized"] == false && $0["verified"] == false })
            for (vendor, view) in zip(ExpectedVendor.all, views) {
                let usual = vendor.needsSection ? "not configured" : "not its shape"
                let why = vendor.name == "xignin" ? "turned off" : usual
                #expect(view["why"]?.string?.hasPrefix(why) == true, "\(vendor.name)")
            }
            let text = try await site.pushauth("inspect", input: "{\"a\":1}")
            #expect(text.output.contains("  onespan  not recognized; not configured"))
        }
    }

    @Test(arguments: [
        ("", "its third part, the signature, is empty"),
        ("a!b", "its third part, the signature, isn't base64url"),
        ("a", "its third part, the signature, isn't base64url"),
        (nil, "it has two parts: the third, the signature, is missing"),
    ])
    func `says what is wrong with a token's third part, and shows the first two`(
        signature: String?, why: String
    ) async throws {
        try await PushAuthSite.run { site in
            let signer = try TokenSigner("HS256")
            let whole = try signer.token(["n": 7]).split(separator: ".").map(String.init)
            let token = (whole.prefix(2) + [signature].compactMap { $0 }).joined(separator: ".")
            let (name, content) = try #require(signer.keyFiles.first)
            let key = try site.file(name, content)
            for input in [token, "{\"context\":\"\(token)\"}"] {
                for options in [[], ["--key", key]] {
                    let result = try await site.pushauth(
                        ["inspect", "--no-store", "--json"] + options, input: input)
                    #expect(result.exitCode == 12, "\(result.output)")
                    #expect(try result.json["form"] == (input == token ? "jwt" : "json"))
                    let found = try #require(try result.json["tokens"]?.array?.first)
                    #expect(found["header"]?["alg"] == "HS256" && found["claims"]?["n"] == 7)
                    #expect(found["verified"] == false && found["why"] == .string(why))
                }
            }
            let text = try await site.pushauth("inspect", "--no-store", input: token)
            #expect(text.output.contains("UNVERIFIED: \(why)"), "\(text.output)")
            #expect(text.output.contains("n: 7"))
        }
    }

    @Test func `a second part that isn't base64url is said, too`() async throws {
        try await PushAuthSite.run { site in
            var parts = try TokenSigner("HS256").token(["n": 7]).split(separator: ".")
                .map(String.init)
            parts[1] = "a!b"
            let result = try await site.pushauth(
                "inspect", "--no-store", "--json", input: parts.joined(separator: "."))
            #expect(result.exitCode == 12)
            let found = try #require(try result.json["tokens"]?.array?.first)
            #expect(found["header"]?["alg"] == "HS256" && found["claims"] == nil)
            #expect(found["why"] == "its second part, the claims, isn't base64url")
        }
    }

    @Test func `belongs to each line of the input, blank ones among them`() async throws {
        try await PushAuthSite.run { site in
            for (options, ending) in [([], "\n"), (["--scanned"], ""), ([], "\n\n")] {
                let input = try site.file("input", "\n[1]\n \t\n[2]" + ending)
                let result = try await site.pushauth(["inspect", input, "--json"] + options)
                let count = ending == "\n\n" ? 5 : 4
                let lines = try result.lines
                #expect(lines.map { $0["line"]?.integer } == (1...count).map(Int64.init))
                for (number, line) in lines.enumerated() {
                    let isBlank = ![1, 3].contains(number)
                    #expect((line["form"] == "empty") == isBlank)
                    #expect((line.object?.members.count == 2) == isBlank)
                }
            }
            // An object on one line has blank ones around it; over several, it is one.
            let short = try await site.pushauth("inspect", "--json", input: "\n{\"a\":1}\n\n")
            #expect(try short.lines.map { $0["form"] } == ["empty", "json", "empty"])
            let long = try await site.pushauth("inspect", "--json", input: "\n\n{\n\"a\":1}\n\n")
            #expect(try long.lines.map { $0["line"] } == [3])
            // A blank line is neither verified nor refused.
            let scanned = try await site.pushauth("inspect", "--scanned", input: "\nhello\n")
            #expect(scanned.exitCode == 3)
        }
    }

    @Test func `holds nothing that stands below a name like a secret's`() {
        let json: JSON = [
            "pin": 1234, "password": 42, "token": ["value": "abc", "n": [1, true, .null]],
            "alg": "ES256", "keys": [["alg": "RS256-long", "use": true]], "amount": 12,
            "isOpen": true, "codes": [["a": ["b": 5]]],
        ]
        #expect(
            Redaction(reveals: false)(json) == [
                "pin": "<number>", "password": "<number>",
                "token": ["value": "<3 characters>", "n": ["<number>", "<boolean>", .null]],
                "alg": "ES256", "keys": [["alg": "<10 characters>", "use": "<boolean>"]],
                "amount": 12, "isOpen": true, "codes": [["a": ["b": "<number>"]]],
            ])
        #expect(Redaction(reveals: true)(json) == json)
    }
}
