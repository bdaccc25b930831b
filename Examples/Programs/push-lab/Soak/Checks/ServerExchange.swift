import Foundation
import HTTPTypes
import PushCore

/// One exchange in the server's log.
struct ServerExchange: Hashable, Sendable {
    /// What a device asked for.
    enum Request: Hashable, Sendable {
        /// A decision, whole.
        case answer(login: String, Choice)
        /// A yes that takes a PIN, whole: the assertion, and the PIN's proof.
        case approval(Assertion, proof: String)
        /// What was kept of such a yes: the assertion alone, sent to ask what became of the whole.
        case question(Assertion)
        case registration(mechanism: String)
        case token(mechanism: String, token: String)
        case other
    }

    /// What a device signed for one yes.
    struct Assertion: Hashable, Sendable {
        let login: String
        /// Its name, which is another for each that is made.
        let name: String
    }

    /// What a reply says of an answer.
    enum Verdict: String, Hashable, Sendable {
        case taken
        /// Refused, and the challenge is still open.
        case refused
    }

    let request: Request

    /// The line its arrival is on.
    let arrived: Int

    /// The line its reply is on; `nil` if none was sent.
    var replied: Int?

    /// The reply's status.
    var status: Int?

    /// What a manager's reply calls its result or its refusal; AM says all by its status.
    var word: String?

    var verdict: Verdict? {
        switch (request, word, status) {
        case (_, "user_login", _), (_, "rejected", _): .taken
        case (_, "lockout", _): .refused
        case (.answer, nil, 200): .taken
        // The one reply of AM's that leaves the challenge open.
        case (.answer, nil, 400): .refused
        default: nil
        }
    }

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
                exchanges[number]?.word = line["word"]?.string
            } else {
                exchanges[number] = ServerExchange(request: Request(line), arrived: index)
            }
        }
        return exchanges.values.sorted { $0.arrived < $1.arrived }
    }

    /// What a manager calls the result or the refusal in its reply; its signature is the plugin's to
    /// check.
    static func word(in body: Data) -> String? {
        let data = Request.claims(of: String(decoding: body, as: UTF8.self))?["data"]
        return data?["result"]?["type"]?.string ?? data?["error"]?.string
    }
}

extension ServerExchange.Request {
    /// Reads an HTTP request; its signature is the simulator's to check.
    init(_ request: HTTPRequest, _ body: Data) {
        let path = request.path ?? ""
        let parts = path.split(separator: "/").map(String.init)
        if parts.first == "oxrw" {
            self.init(toManager: parts, request.headerFields[.authorization] ?? "", body)
        } else {
            self.init(toAM: path, body)
        }
    }

    private init(toAM path: String, _ body: Data) {
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

    /// Reads `/oxrw/v1/processes/{process}/finish` and its like.
    private init(toManager parts: [String], _ authorization: String, _ body: Data) {
        let members = try? JSON(parsing: body)
        switch (parts.dropFirst(2).first, parts.dropFirst(3).first, parts.last) {
        case ("personalizations", _, _):
            let token = authorization.split(separator: " ").last.map(String.init) ?? ""
            self = .registration(mechanism: Self.claims(of: token)?["aud"]?.string ?? "")
        case ("processes", let login?, "reject"):
            self = .answer(login: login, .deny)
        case ("processes", let login?, "finish"):
            let claims = members?["assertion"]?.string.flatMap(Self.claims(of:))
            let assertion = ServerExchange.Assertion(
                login: login, name: claims?["jti"]?.string ?? "")
            let factor = members?["factors"]?.array?.first { $0["type"]?.string == "pin" }
            let proof = factor?["proof"]?.string
            self = proof.map { .approval(assertion, proof: $0) } ?? .question(assertion)
        default: self = .other
        }
    }

    /// What a signed token claims.
    static func claims(of token: String) -> JSON? {
        let parts = token.split(separator: ".")
        guard parts.count == 3 else { return nil }
        return Data(base64URL: String(parts[1])).flatMap { try? JSON(parsing: $0) }
    }

    /// Reads a line of the log.
    fileprivate init(_ line: JSON) {
        func text(_ name: String) -> String { line[name]?.string ?? "" }
        let assertion = ServerExchange.Assertion(login: text("login"), name: text("assertion"))
        switch text("arrived") {
        case "answer": self = .answer(login: text("login"), Choice(text("choice")))
        case "approval": self = .approval(assertion, proof: text("proof"))
        case "question": self = .question(assertion)
        case "registration": self = .registration(mechanism: text("mechanism"))
        case "token": self = .token(mechanism: text("mechanism"), token: text("token"))
        default: self = .other
        }
    }

    /// Its line in the log.
    var json: JSON.Object {
        switch self {
        case .answer(let login, let choice):
            ["arrived": "answer", "login": .string(login), "choice": .string("\(choice)")]
        case .approval(let assertion, let proof):
            [
                "arrived": "approval", "login": .string(assertion.login),
                "assertion": .string(assertion.name), "proof": .string(proof),
            ]
        case .question(let assertion):
            [
                "arrived": "question", "login": .string(assertion.login),
                "assertion": .string(assertion.name),
            ]
        case .registration(let mechanism):
            ["arrived": "registration", "mechanism": .string(mechanism)]
        case .token(let mechanism, let token):
            ["arrived": "token", "mechanism": .string(mechanism), "token": .string(token)]
        case .other: ["arrived": "other"]
        }
    }

    /// What it says of which login; `nil` if it decides none.
    var decision: (login: String, choice: Choice)? {
        switch self {
        case .answer(let login, let choice): (login, choice)
        case .approval(let assertion, _): (assertion.login, .approve)
        default: nil
        }
    }
}

extension Data {
    /// Reads Base64 in the alphabet of URLs; `nil` if it isn't.
    init?(base64URL text: String) {
        var text = text.replacing("-", with: "+").replacing("_", with: "/")
        while !text.count.isMultiple(of: 4) { text += "=" }
        self.init(base64Encoded: text)
    }
}
