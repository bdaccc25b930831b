import Foundation
import HTTPTypes
import PushCore

/// What was seen while a scenario ran, in order, without what differs from run to run.
actor Transcript {
    private(set) var lines: [String] = []

    func note(_ line: String) {
        lines.append(line)
    }
}

/// Passes requests on, and notes what each asks and what came back.
struct NotedTransport: Transport {
    let transport: any Transport
    let transcript: Transcript
    let device: String

    func send(
        _ request: HTTPRequest, body: Data
    ) async throws(PushError) -> (response: HTTPResponse, body: Data) {
        let asked = "\(device): \(request.method) \(Self.fields(of: request, body))"
        do throws(PushError) {
            let reply = try await transport.send(request, body: body)
            await transcript.note("\(asked) → \(Self.words(for: reply.response, reply.body))")
            return reply
        } catch {
            await transcript.note("\(asked) → \(error.code)")
            throw error
        }
    }

    /// The names of the fields; the values of those alone that are few.
    private static func fields(of request: HTTPRequest, _ body: Data) -> String {
        let text =
            request.method == .get
            ? request.path?.split(separator: "?").last.map(String.init) ?? ""
            : String(decoding: body, as: UTF8.self)
        return text.split(separator: "&").map { field in
            ["decline", "capabilities"].contains { field.hasPrefix($0) }
                ? String(field) : String(field.prefix { $0 != "=" })
        }.sorted().joined(separator: " ")
    }

    /// What a device reads of a reply.
    private static func words(for response: HTTPResponse, _ body: Data) -> String {
        var words = ["\(response.status.code)"]
        if response.headerFields[.date] == nil { words.append("no Date") }
        guard let json = try? JSON(parsing: body), let result = json["result"] else {
            return (words + ["no JSON"]).joined(separator: " ")
        }
        if let code = result["error"]?["code"]?.integer { words.append("error \(code)") }
        switch result["value"] {
        case .bool(let value)?: words.append("\(value)")
        case .array(let entries)?:
            words += entries.map { Self.words(for: $0) } + ["of \(entries.count)"]
        case let value?: words.append("value \(value.text)")
        case nil: break
        }
        for name in ["display_code", "message", "public_key", "rollout_state", "serial"] {
            guard let value = json["detail"]?[name] else { continue }
            words.append("detail.\(name) \(shape(of: value.string ?? "", named: name))")
        }
        return words.joined(separator: " ")
    }

    private static func words(for entry: JSON) -> String {
        let members = (entry.object?.members ?? []).sorted { $0.name < $1.name }
        let texts = members.map { member in
            guard let text = member.value.string else { return "\(member.name) isn't a text" }
            return "\(member.name)=\(shape(of: text, named: member.name))"
        }
        return "{\(texts.joined(separator: ", "))}"
    }

    /// A text as it is, or what is known of one that differs from run to run.
    static func shape(of text: String, named name: String) -> String {
        switch name {
        case "title", "question", "sslverify", "version", "capabilities", "rollout_state",
            "message":
            text
        // In an order that differs from run to run.
        case "require_presence": "\(text.split(separator: ",").map(\.count).sorted()) characters"
        case "nonce", "signature", "capabilities_signature":
            (text.contains(/[^A-Z2-7=]/) ? "another text" : "Base32")
                + (name == "nonce" ? " of \(text.count)" : "")
        case "display_code": "\(text.count) digits"
        case "public_key": text.contains("\n") ? "in lines" : "in one line"
        case "url": text.hasSuffix("/ttype/push") ? "the endpoint" : "another"
        default: text.isEmpty ? "empty" : "given"
        }
    }
}
