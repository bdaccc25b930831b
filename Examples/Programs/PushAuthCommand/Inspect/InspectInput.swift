import Foundation
import PushCapture
import PushCore

/// One thing to inspect: where it stood, and what it is.
struct InspectInput {
    /// What it looks like.
    enum Form: String {
        case json, apns, fcm, jwt, scanned, link, relayed, unreadable, empty
    }

    /// The largest input, in bytes.
    static let largest = 16 << 20

    /// The line it begins at, from 1.
    let line: Int
    let form: Form

    /// The message, or why there is none; `nil` for a blank line.
    let message: Result<PushMessage, PushError>?

    /// The things that a text holds: one JSON object over several lines, else one on each line, the
    /// blank ones among them.
    static func split(
        _ bytes: Data, by channel: InspectCommand.Channel?
    ) throws(Failure) -> [InspectInput] {
        guard let start = bytes.firstIndex(where: { !isSpace($0) }),
            let end = bytes.lastIndex(where: { !isSpace($0) })
        else { throw Failure(.failed, "The input is empty.") }
        let lineEnd = UInt8(ascii: "\n")
        if channel == nil, bytes[start] == UInt8(ascii: "{"), bytes[start...end].contains(lineEnd) {
            let line = bytes[..<start].count { $0 == lineEnd } + 1
            let whole = InspectInput(line: line, bytes: bytes[start...end])
            if whole.form != .unreadable { return [whole] }
        }
        var lines = bytes.split(separator: lineEnd, omittingEmptySubsequences: false)
        // What ends the last line begins no other.
        if lines.last?.isEmpty == true { lines.removeLast() }
        return lines.enumerated().map { index, bytes in
            if bytes.allSatisfy(isSpace) { return InspectInput(blankLine: index + 1) }
            if let channel { return InspectInput(line: index + 1, text: bytes, by: channel) }
            return InspectInput(line: index + 1, bytes: bytes)
        }
    }

    private init(blankLine line: Int) {
        self.line = line
        form = .empty
        message = nil
    }

    private init(line: Int, bytes: Data) {
        self.line = line
        if let text = Self.text(bytes), FoundToken(flawed: text) != nil {
            form = .jwt
            message = .success(PushMessage(text: text, by: .relayed))
            return
        }
        do throws(PushError) {
            (form, message) = Self.unwrapped(try PushMessage(json: Data(bytes)))
        } catch {
            form = .unreadable
            message = .failure(error)
        }
    }

    private init(line: Int, text: Data, by channel: InspectCommand.Channel) {
        self.line = line
        guard let text = Self.text(text) else {
            form = .unreadable
            message = .failure(PushError(.malformed, "The text isn't UTF-8."))
            return
        }
        form = Form(rawValue: channel.rawValue) ?? .relayed
        message = .success(PushMessage(text: text, by: channel.channel))
    }

    /// What an app gets of a request that was meant for Firebase.
    private static func unwrapped(
        _ message: PushMessage
    ) -> (Form, Result<PushMessage, PushError>) {
        if let request = message["message"], request.object != nil {
            var data: [String: String] = [:]
            for (name, value) in request["data"]?.object?.members ?? [] {
                guard let text = value.string else {
                    return (
                        .unreadable,
                        .failure(
                            PushError(.malformed, "Firebase's data may hold texts alone."))
                    )
                }
                data[name] = text
            }
            return (.fcm, .success(PushMessage(fcm: data)))
        }
        if message["aps"] != nil { return (.apns, .success(message)) }
        let isFCM = message["data"]?.object != nil
        return (isFCM ? .fcm : .json, .success(message))
    }

    private static func text(_ bytes: Data) -> String? {
        String(validUTF8: bytes)?.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }
}
