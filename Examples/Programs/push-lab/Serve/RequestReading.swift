import Foundation
import HTTPTypes
import LocalServer
import PushCore

/// What a device's request is, as far as anybody can tell who has no key.
struct RequestReading: Sendable {
    /// In a word or two, such as `registration`; `nil` for what the vendor doesn't know either.
    let name: String?

    /// Every text in it that could tell whose it is.
    let texts: Set<String>

    /// `more` has texts that only the vendor finds, such as those in a binary command.
    init(_ name: String?, of request: HTTPRequest, _ body: Data, and more: [String] = []) {
        self.name = name
        var texts = Set(more)
        for part in (request.path ?? "").split(whereSeparator: { "/?&=".contains($0) }) {
            texts.insert(String(part))
        }
        for field in request.headerFields {
            for part in field.value.split(whereSeparator: { " ,\"".contains($0) }) {
                Self.add(.string(String(part)), to: &texts)
            }
        }
        if let value = try? JSON(parsing: body) { Self.add(value, to: &texts) }
        self.texts = texts
    }

    /// Every text of a push.
    static func texts(of payload: Data) -> Set<String> {
        var texts: Set<String> = []
        if let value = try? JSON(parsing: payload) { add(value, to: &texts) }
        return texts
    }

    /// Adds the texts of a value, and of the claims of a token that is one.
    private static func add(_ value: JSON, to texts: inout Set<String>) {
        switch value {
        case .string(let text):
            texts.insert(text)
            guard text.utf8.count > 40, let claims = claims(of: text) else { return }
            add(claims, to: &texts)
        case .array(let elements): for element in elements { add(element, to: &texts) }
        case .object(let object): for member in object.members { add(member.value, to: &texts) }
        default: break
        }
    }

    /// The claims of a compact token, unverified.
    static func claims(of token: String) -> JSON? {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        return Data(base64URL: parts[1]).flatMap { try? JSON(parsing: $0) }
    }
}

/// Whose requests and pushes are, by texts that only one user's have: an invitation's, a login's, a
/// device's.
struct Owners: Sendable {
    private var users: [String: String] = [:]
    private var order: [String] = []

    /// How many texts are kept: those that were noted last.
    private static let limit = 20_000

    /// - Returns: Whether one of the texts is new.
    @discardableResult
    mutating func note(_ texts: [String], of user: String, at vendor: String) -> Bool {
        var hasNew = false
        for text in texts where text.utf8.count > 11 {
            guard users.updateValue(user, forKey: "\(vendor) \(text)") == nil else { continue }
            order.append("\(vendor) \(text)")
            hasNew = true
        }
        if order.count > Self.limit {
            for old in order.prefix(Self.limit / 2) { users[old] = nil }
            order.removeFirst(Self.limit / 2)
        }
        return hasNew
    }

    /// The only user whose texts are among these.
    func user(of texts: Set<String>, at vendor: String) -> String? {
        let found = Set(texts.compactMap { users["\(vendor) \($0)"] })
        return found.count == 1 ? found.first : nil
    }
}

extension HTTPRequest {
    /// The parts of its path, without its query.
    var pathParts: [Substring] {
        (path ?? "").prefix { $0 != "?" }.split(separator: "/")
    }
}
