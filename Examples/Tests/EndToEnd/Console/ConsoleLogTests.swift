import Foundation
import HTTPTypes
import PushCore
import PushTesting
import Testing

@testable import push_lab

/// What the console's log shows of the exchanges, and what it keeps to itself.
@Suite(.timeLimit(.minutes(3))) struct ConsoleLogTests {
    static let vendors = ConsoleVendors.all().map(\.name)

    @Test(arguments: ConsoleLogTests.vendors)
    func `the log has every exchange of a login, and no secret of it`(
        vendor: String
    ) async throws {
        try await ConsoleDevice.run { world in
            let invitation = try await world.enroll(at: vendor)
            let push = try await world.logIn(at: vendor)
            _ = try await world.approve(push)
            _ = try await world.page("/\(vendor)/jane", saying: "data-status=\"approved\"")
            let page = try await world.get("/\(vendor)/jane/log").text
            let log = Self.exchanges(in: page)
            #expect(log.contains { $0.hasPrefix("→ POST /") })
            #expect(log.contains { $0.hasPrefix("← 2") })
            for line in log { #expect(Self.isRedacted(line), "\(line)") }
            let secrets =
                invitation.split { "?&=/:# ".contains($0) }.map(String.init)
                + Self.strings(in: push.payload) + [ConsoleDevice.token]
            for secret in secrets where secret.utf8.count > 15 {
                #expect(!log.joined().contains(secret), "\(secret)")
            }
            #expect(!page.contains(ConsoleDevice.pin))
        }
    }

    @Test func `what an exchange says is a stranger's, and kept short`() throws {
        let body = Data(
            #"{"pin": "13579", "<b>": [\#(String(repeating: "1,", count: 9000))1]}"#.utf8)
        let request = HTTPRequest(
            method: .post, scheme: nil, authority: nil, path: "/a?token=97531",
            headerFields: [.authorization: "Bearer 86420", .contentType: "application/json"])
        let exchange = ConsoleExchange(
            request, body, (HTTPResponse(status: .ok), Data("a text with 24680".utf8)))
        #expect(exchange.title == "POST /a → 200")
        #expect(exchange.text.contains("Content-Type: application/json"))
        #expect(exchange.text.contains(#""pin":"<5 bytes>""#))
        #expect(exchange.text.contains("  <17 bytes>"))
        for secret in ["13579", "97531", "86420", "24680"] {
            #expect(!exchange.text.contains(secret))
        }
        #expect(exchange.text.count < 10_000)
    }

    /// The lines of the log's exchanges.
    private static func exchanges(in page: String) -> [String] {
        page.components(separatedBy: "<pre tabindex=\"0\">").dropFirst().flatMap { part in
            (part.components(separatedBy: "</pre>").first ?? "")
                .replacing("&lt;", with: "<").replacing("&gt;", with: ">")
                .replacing("&quot;", with: "\"").replacing("&#39;", with: "'")
                .replacing("&amp;", with: "&").components(separatedBy: "\n")
        }
    }

    /// Whether a line tells of a header field or a body no more than its size or shape.
    private static func isRedacted(_ line: String) -> Bool {
        let size = /<\d+ bytes>/
        guard let text = line.wholeMatch(of: #/  (.*)/#)?.1 else {
            return line.wholeMatch(of: /[→←] [A-Z0-9]+( \/[^? ]*)?/) != nil
        }
        if let field = text.wholeMatch(of: /([A-Za-z0-9-]+): (.*)/) {
            let shown = ["accept", "content-type", "content-length", "date", "server"]
            return shown.contains(field.1.lowercased()) || field.2.wholeMatch(of: size) != nil
        }
        if text.wholeMatch(of: size) != nil { return true }
        let body = Data(text.utf8)
        return (try? JSON(parsing: body)) != nil
            && strings(in: body).allSatisfy { $0.wholeMatch(of: size) != nil }
    }

    private static func strings(in body: Data) -> [String] {
        guard let value = try? JSON(parsing: body) else {
            return body.isEmpty ? [] : [String(decoding: body, as: UTF8.self)]
        }
        return strings(in: value)
    }

    private static func strings(in value: JSON) -> [String] {
        switch value {
        case .string(let text): [text]
        case .array(let elements): elements.flatMap(strings)
        case .object(let object): object.members.flatMap { strings(in: $0.value) }
        default: []
        }
    }
}
