import HTTPTypes
import PushCore
import PushJOSE

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The parameters of a request. Of two with one name the first counts; UNCONFIRMED.
struct RequestFields {
    private let values: [String: String]

    /// Who asks, as `User-Agent` says it.
    private(set) var agent = ""

    /// Clients of the vendor whose forms the server decodes only once.
    private static let decodedOnce = [
        "privacyidea-cp", "privacyidea-ldap-proxy", "simplesamlphp",
    ]

    init(_ pairs: [(String, String)]) {
        values = Dictionary(pairs) { first, _ in first }
    }

    /// Reads a query, whose values the server decodes once.
    init(query: String, of request: HTTPRequest) {
        self.init(Self.pairs(of: query))
        agent = request.headerFields[.userAgent] ?? ""
    }

    /// Reads a form, whose values the server decodes twice, or a JSON object.
    init(of request: HTTPRequest, _ body: Data) {
        let agent = request.headerFields[.userAgent] ?? ""
        let type = request.headerFields[.contentType] ?? ""
        if type.lowercased().hasPrefix("application/json") {
            let members = (try? JSON(parsing: body))?.object?.members ?? []
            self.init(members.compactMap { entry in entry.value.string.map { (entry.name, $0) } })
        } else {
            let pairs = Self.pairs(of: String(decoding: body, as: UTF8.self))
            let isOnce = Self.decodedOnce.contains { agent.lowercased().hasPrefix($0) }
            self.init(isOnce ? pairs : pairs.map { ($0, Self.decoded($1, plusIsSpace: false)) })
        }
        self.agent = agent
    }

    subscript(name: String) -> String? { values[name] }

    /// A parameter that must be there.
    func required(_ name: String) throws(Refusal) -> String {
        guard let value = values[name] else { throw .missing(name) }
        return value
    }

    private static func pairs(of text: String) -> [(String, String)] {
        text.split(separator: "&").map { part in
            let halves = part.split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let value = halves.count > 1 ? String(halves[1]) : ""
            return (
                decoded(String(halves[0]), plusIsSpace: true), decoded(value, plusIsSpace: true)
            )
        }
    }

    /// Percent-decodes; what isn't `%` and two digits stays.
    private static func decoded(_ text: String, plusIsSpace: Bool) -> String {
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            if byte == UInt8(ascii: "%"), index + 2 < bytes.count,
                let value = Hexadecimal.bytes(bytes[index + 1...index + 2])?.first
            {
                result.append(value)
                index += 3
                continue
            }
            result.append(plusIsSpace && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            index += 1
        }
        return String(decoding: result, as: UTF8.self)
    }
}

/// Base32 as the server reads and writes it.
enum ServerBase32 {
    /// In upper case, padded.
    static func encode(_ bytes: some ContiguousBytes) -> String { Base32.encode(bytes) }

    /// The bytes of a text in upper case, padded; `nil` for anything else.
    static func decode(_ text: String) -> Data? {
        let isUpper = text.utf8.allSatisfy { !(UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0) }
        guard isUpper, text.utf8.count.isMultiple(of: 8) else { return nil }
        return try? Base32.data(from: text, as: .anyTrailingBits)
    }
}
