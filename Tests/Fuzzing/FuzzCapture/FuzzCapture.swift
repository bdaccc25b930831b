import Foundation
import HTTPTypes
import PushAuthFuzzing
import PushCore

@testable import PushCapture
@testable import push_lab

/// Feeds what captures are made of, and the reader of captures: whatever a message, an exchange or
/// an error says, the capture shows words of protocols, times and marks alone, and a replay reads
/// it.
@main
enum FuzzCapture {
    static func main() {
        fuzz { bytes in
            let body = Data(bytes)
            let text = String(decoding: bytes, as: UTF8.self)
            var redaction = CaptureRedaction()
            var lines = exchanges(text, body, &redaction)
            if let message = try? PushMessage(json: body) {
                lines.append(redaction.message(message))
            }
            for line in lines { line.members.forEach { check($0.value) } }
            let sentence = redaction.sentence(text)
            expect(
                sentence.firstMatch(of: /[0-9]{4}/) == nil, "a sentence shows no long number")
            expect(
                redaction.hosts.allSatisfy { $0.isEmpty || !sentence.contains(" \($0) ") },
                "a sentence shows no server's name")
            replay(lines.map { $0.adding(["event": "request"]) })
            read(body)
        }
    }

    private static func exchanges(
        _ text: String, _ body: Data, _ redaction: inout CaptureRedaction
    ) -> [JSON.Object] {
        let types = ["application/json", "application/x-www-form-urlencoded", "text/html"]
        return types.flatMap { type in
            var request = HTTPRequest(
                method: .post, scheme: "https", authority: "id.example.com", path: "/" + text)
            request.headerFields = [.contentType: type, .authorization: text]
            var response = HTTPResponse(status: .ok, headerFields: request.headerFields)
            response.headerFields[.retryAfter] = text
            return [redaction.request(request, body), redaction.response(response, body)]
        }
    }

    /// Every text is one that a protocol has, a time, or a mark.
    private static func check(_ json: JSON) {
        switch json {
        case .string(let text):
            expect(
                OpenWords.has(text) || isMark(text) || isTime(text),
                "a text that no protocol has is a mark")
        case .number:
            expect(json == 0 || json == 1 || isTime(json.text), "a number is a time, or a mark")
        case .array(let values): values.forEach(check)
        case .object(let object):
            for (name, value) in object.members {
                expect(OpenWords.isName(name) || isMark(name), "a name is one, or a mark")
                check(value)
            }
        default: break
        }
    }

    private static func isMark(_ text: String) -> Bool {
        text.wholeMatch(of: /<[a-z0-9]+#[0-9]+(\/[0-9]+)?>/) != nil
    }

    private static func isTime(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 < 0x80 } && text.utf8.count <= 40 && text.contains { $0.isNumber }
    }

    private static func replay(_ lines: [JSON.Object]) {
        let header: JSON = ["pushcap": 1, "providers": ["p1": "forgerock"]]
        let text = ([header] + lines.map(JSON.object)).map { $0.text + "\n" }.joined()
        let read = try? CaptureReading(Data(text.utf8), knowing: ["forgerock"])
        expect(read?.providers.first?.lines.count == lines.count, "a replay reads every line")
    }

    private static func read(_ file: Data) {
        do throws(ReplayFailure) {
            let capture = try CaptureReading(file, knowing: ["forgerock"])
            expect(file.last == 0x0A, "a capture ends with a line's end")
            let lines = file.count { $0 == 0x0A } - 1
            expect(
                capture.providers.allSatisfy { $0.lines.count <= lines }, "a line is played once")
        } catch {
            expect(error.text.utf8.count < 2000, "an error says little of what came")
        }
    }
}
