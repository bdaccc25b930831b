import Foundation
import LinkedVendors
import PushCore
import Testing
import VendorRegistration

@testable import PushAuthCommand

/// That scripts can compare what `pushauth inspect` prints line by line, and that nothing secret is
/// in it.
@Suite struct `a line of pushauth inspect` {
    @Test func `names every provider, also those that aren't configured`() async throws {
        try await PushAuthSite.run { site in
            try site.configure("[providers.xignin]\nenabled = false\n")
            let result = try await site.pushauth("inspect", "--json", input: "{\"a\":1}")
            let views = try #require(try result.json["providers"]?.array)
            #expect(views.map { $0["provider"]?.string } == LinkedVendors.all.map(\.name))
            #expect(views.allSatisfy { $0["recognized"] == false && $0["verified"] == false })
            for (name, word) in [
                ("forgerock", "not its shape"), ("xignin", "turned off"),
                ("onespan", "not configured"), ("powerauth", "not configured"),
                ("privacyidea", "not its shape"),
            ] {
                let view = views.first { $0["provider"]?.string == name }
                #expect(view?["why"]?.string?.hasPrefix(word) == true, "\(name)")
            }
            let text = try await site.pushauth("inspect", input: "{\"a\":1}")
            #expect(text.output.contains("  onespan  not recognized; not configured"))
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
