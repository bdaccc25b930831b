import Foundation
import HTTPTypes
import PushCore
import PushJOSE

/// Writes down what came and went by type: what a message is made of stays, what it says doesn't.
struct CaptureRedaction {
    var marks = Marks()

    /// The servers that exchanges were with.
    private(set) var hosts: Set<String> = []

    /// How deep texts are looked into that hold another format.
    private static let depth = 4

    mutating func json(_ json: JSON, named name: String = "", depth: Int = depth) -> JSON {
        switch json {
        case .string(let text): return self.text(text, named: name, depth: depth)
        case .number:
            let isShown = OpenWords.isTime(json.text, named: name) || json == 0 || json == 1
            return isShown ? json : .string(marks.mark(json.text, as: "number"))
        case .array(let values):
            return .array(values.map { self.json($0, named: name, depth: depth) })
        case .object(let object): return .object(members(object, depth: depth))
        default: return json
        }
    }

    private mutating func members(_ object: JSON.Object, depth: Int = depth) -> JSON.Object {
        JSON.Object(
            object.members.map { name, value in
                (
                    OpenWords.isName(name) ? name : marks.mark(name),
                    json(value, named: name, depth: depth)
                )
            })
    }

    /// What a text is, if it is of a format; else the text if it is a protocol's word, else a mark.
    mutating func text(_ text: String, named name: String = "", depth: Int = depth) -> JSON {
        if OpenWords.has(text) || Self.isTime(text, named: name) { return .string(text) }
        guard depth > 0 else { return .string(marks.mark(text)) }
        if let token = FoundToken(text) { return self.token(token, text, depth) }
        if let inner = try? JSON(parsing: Data(text.utf8)),
            inner.object != nil || inner.array != nil
        {
            return ["json": json(inner, depth: depth - 1)]
        }
        if text.cut(at: "://").rest != nil, let url = URLComponents(string: text) {
            return ["url": self.url(url, depth)]
        }
        return .string(marks.mark(text))
    }

    private static func isTime(_ text: String, named name: String) -> Bool {
        if OpenWords.isTime(text, named: name) { return true }
        guard (19...40).contains(text.utf8.count) else { return false }
        // RFC 3339, and RFC 9110's date.
        return text.wholeMatch(
            of: /\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:?\d\d)?/) != nil
            || text.wholeMatch(of: /[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT/)
                != nil
    }

    private mutating func token(_ token: FoundToken, _ text: String, _ depth: Int) -> JSON {
        let parts = text.parts(at: ".").map(String.init)
        return [
            "jws": [
                "header": json(.object(token.header), depth: depth - 1),
                "claims": token.claims.map { .object(members($0, depth: depth - 1)) }
                    ?? .string(marks.mark(parts[1])),
                "signature": .string(marks.mark(parts[2])),
            ]
        ]
    }

    private mutating func url(_ url: URLComponents, _ depth: Int) -> JSON {
        if let host = url.host, host.utf8.count < 254 { hosts.insert(host.lowercased()) }
        var members: JSON.Object = [
            "scheme": text(url.scheme ?? ""),
            "host": .string(marks.mark(url.host ?? "", as: "host")),
        ]
        if let port = url.port { members["port"] = .string(marks.mark("\(port)", as: "port")) }
        let path = url.path.parts(at: "/").filter { !$0.isEmpty }.map {
            text(String($0), depth: 0)
        }
        if !path.isEmpty { members["path"] = .array(path) }
        if let items = url.queryItems, !items.isEmpty {
            members["query"] = form(items.map { ($0.name, $0.value ?? "") }, depth)
        }
        if url.user != nil || url.password != nil { members["user"] = true }
        if let fragment = url.fragment { members["fragment"] = text(fragment, depth: depth - 1) }
        return .object(members)
    }

    /// Parameters, each once or as a list.
    private mutating func form(_ items: [(name: String, value: String)], _ depth: Int) -> JSON {
        var members = JSON.Object()
        for item in items {
            let name = OpenWords.isName(item.name) ? item.name : marks.mark(item.name)
            let value = text(item.value, named: item.name, depth: depth - 1)
            members[name] = members[name].map { .array(($0.array ?? [$0]) + [value]) } ?? value
        }
        return .object(members)
    }

    mutating func request(_ request: HTTPRequest, _ body: Data) -> JSON.Object {
        let url = "\(request.scheme ?? "")://\(request.authority ?? "")\(request.path ?? "")"
        var members: JSON.Object = ["method": text(request.method.rawValue), "url": text(url)]
        members["headers"] = headers(request.headerFields)
        members["body"] = self.body(body, of: request.headerFields[.contentType])
        return members
    }

    mutating func response(_ response: HTTPResponse, _ body: Data) -> JSON.Object {
        var members: JSON.Object = ["status": .number(.init(Int64(response.status.code)))]
        members["headers"] = headers(response.headerFields)
        members["body"] = self.body(body, of: response.headerFields[.contentType])
        return members
    }

    private mutating func headers(_ fields: HTTPFields) -> JSON {
        var members = JSON.Object()
        for field in fields {
            let name = field.name.canonicalName
            let isWait = name == "retry-after" && Int(field.value) != nil
            let value = isWait ? .string(field.value) : text(field.value, depth: 1)
            members[OpenWords.isName(name) ? name : marks.mark(name)] = value
        }
        return .object(members)
    }

    private mutating func body(_ body: Data, of type: String?) -> JSON? {
        guard !body.isEmpty else { return nil }
        if let json = try? JSON(parsing: body) { return ["json": self.json(json)] }
        guard let text = String(data: body, encoding: .utf8) else {
            return .string(marks.mark(Base64.encode(body)))
        }
        if type?.utf8.starts(with: "application/x-www-form-urlencoded".utf8) == true {
            let items = text.parts(at: "&").filter { !$0.isEmpty }.map { item in
                let (name, value) = item.cut(at: "=")
                return (Self.decoded(name), Self.decoded(value ?? ""))
            }
            return ["form": form(items, Self.depth)]
        }
        return self.text(text)
    }

    /// A part of a form; as it is, if it can't be decoded.
    private static func decoded(_ text: Substring) -> String {
        let spaced = String(decoding: text.utf8.map { $0 == 0x2B ? 0x20 : $0 }, as: UTF8.self)
        return spaced.removingPercentEncoding ?? spaced
    }

    /// A name of ours, such as a challenge's, that is no text of a message.
    mutating func name(_ name: String, as kind: String) -> JSON {
        .string(marks.mark(name, as: kind))
    }
}
