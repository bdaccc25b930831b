import Foundation
import PushCore

/// One exchange in the server's log.
struct ServerExchange: Hashable, Sendable {
    /// What a device asked for.
    enum Request: Hashable, Sendable {
        case answer(login: String, Choice)
        case registration(mechanism: String)
        case token(mechanism: String, token: String)
        case other
    }

    let request: Request

    /// The line its arrival is on.
    let arrived: Int

    /// The line its reply is on; `nil` if none was sent.
    var replied: Int?

    /// The reply's status.
    var status: Int?

    /// Reads a log. A last line that is only half written doesn't count.
    static func all(in log: String) -> [ServerExchange] {
        var exchanges: [Int64: ServerExchange] = [:]
        for (index, text) in log.split(separator: "\n").enumerated() {
            guard let line = try? JSON(parsing: String(text)),
                let number = line["exchange"]?.integer
            else { continue }
            if let status = line["status"]?.integer {
                exchanges[number]?.replied = index
                exchanges[number]?.status = Int(status)
            } else {
                exchanges[number] = ServerExchange(request: Request(line), arrived: index)
            }
        }
        return exchanges.values.sorted { $0.arrived < $1.arrived }
    }
}

extension ServerExchange.Request {
    /// Reads an HTTP request; its signature is the simulator's to check.
    init(_ path: String, _ body: Data) {
        guard let members = try? JSON(parsing: body), let token = members["jwt"]?.string,
            let claims = Self.claims(of: token)
        else {
            self = .other
            return
        }
        let identifier = members["messageId"]?.string ?? ""
        if path.hasSuffix("_action=refresh") {
            self = .token(
                mechanism: members["mechanismUid"]?.string ?? "",
                token: claims["deviceId"]?.string ?? "")
        } else if identifier.hasPrefix("REGISTER:") {
            self = .registration(mechanism: claims["mechanismUid"]?.string ?? "")
        } else if claims["deny"] != nil {
            self = .answer(login: identifier, .deny)
        } else {
            let number = claims["challengeResponse"]?.string
            self = .answer(login: identifier, number.map(Choice.number) ?? .approve)
        }
    }

    static func claims(of token: String) -> JSON? {
        let parts = token.split(separator: ".")
        guard parts.count == 3 else { return nil }
        var text = String(parts[1]).replacing("-", with: "+").replacing("_", with: "/")
        while !text.count.isMultiple(of: 4) { text += "=" }
        guard let data = Data(base64Encoded: text) else { return nil }
        return try? JSON(parsing: data)
    }

    /// Reads a line of the log.
    fileprivate init(_ line: JSON) {
        let mechanism = line["mechanism"]?.string ?? ""
        switch line["arrived"]?.string {
        case "answer":
            self = .answer(
                login: line["login"]?.string ?? "", Choice(line["choice"]?.string ?? ""))
        case "registration": self = .registration(mechanism: mechanism)
        case "token": self = .token(mechanism: mechanism, token: line["token"]?.string ?? "")
        default: self = .other
        }
    }

    /// Its line in the log.
    var json: JSON.Object {
        switch self {
        case .answer(let login, let choice):
            ["arrived": "answer", "login": .string(login), "choice": .string("\(choice)")]
        case .registration(let mechanism):
            ["arrived": "registration", "mechanism": .string(mechanism)]
        case .token(let mechanism, let token):
            ["arrived": "token", "mechanism": .string(mechanism), "token": .string(token)]
        case .other: ["arrived": "other"]
        }
    }
}
