import HTTPTypes
import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension DeltaServer {
    typealias Copy = SimulatedRun.Copy

    struct Reply {
        var status: Int
        var body: JSON = [:]

        init(_ status: Int, _ body: JSON = [:]) {
            self.status = status
            self.body = body
        }
    }

    /// Processes a request.
    ///
    /// `transmission` is the device's number for this sending, whichever copies arrive of it.
    func respond(
        to path: String, _ data: Data, mac: String, _ copy: Copy, transmission: UInt64
    ) -> (response: HTTPResponse, body: Data) {
        guard let json = try? JSON(parsing: data), let name = json["e"]?.string else {
            return sealed(Reply(400), key: "")
        }
        if path == "/enroll" { return enroll(json, name, data, mac) }
        guard let index = index(of: name), DeltaWire.mac(data, key: enrolled[index].key) == mac
        else { return sealed(Reply(404, ["why": "unknown"]), key: json["k"]?.string ?? name) }
        let key = enrolled[index].key
        guard !enrolled[index].isRemoved || path == "/remove" else {
            return sealed(Reply(404, ["why": "unknown"]), key: key)
        }
        let number = json["n"]?.integer.map(Int.init) ?? 0
        let isNumbered = options.numbersRequests || path == "/token"
        guard !isNumbered || count(number, at: index, copy, transmission) else {
            return sealed(Reply(409, ["why": "stale"]), key: key)
        }
        return sealed(process(path, json, number, index, copy, transmission), key: key)
    }

    private func process(
        _ path: String, _ json: JSON, _ number: Int, _ index: Int, _ copy: Copy,
        _ transmission: UInt64
    ) -> Reply {
        switch path {
        case "/state": return Reply(200)
        case "/remove":
            enrolled[index].isRemoved = true
            count(.removed)
            changes += 1
            return Reply(200)
        case "/token":
            guard number > enrolled[index].tokenNumber else {
                return Reply(409, ["why": "stale"])
            }
            enrolled[index].tokenNumber = number
            enrolled[index].token = json["token"]?.string
            count(.tokenTold)
            changes += 1
            return Reply(200)
        case "/pending":
            let open = asked.filter { $0.enrollment == enrolled[index].name && isOpen($0) }
            return Reply(200, ["pending": .array(open.map(claims))])
        case "/open":
            guard let found = challenge(json["c"]?.string ?? "") else { return Reply(404) }
            return Reply(200, claims(of: found))
        case "/status": return status(json["c"]?.string ?? "")
        case "/answer": return answer(json, index, copy, transmission)
        default: return Reply(404)
        }
    }

    /// Takes note of a request's number; `false` if it is refused for it.
    private func count(
        _ number: Int, at index: Int, _ copy: Copy, _ transmission: UInt64
    ) -> Bool {
        if let before = enrolled[index].numbers[number] {
            if before != transmission {
                violate(.counters, "number \(number) of \(enrolled[index].name) was used twice")
            }
            // A copy of what was processed: only what changes nothing twice is processed again.
            return true
        }
        enrolled[index].numbers[number] = transmission
        guard number < enrolled[index].greatestNumber else {
            enrolled[index].greatestNumber = number
            return true
        }
        if copy == .first, !mayOvertake {
            violate(
                .counters,
                "number \(number) of \(enrolled[index].name) came after "
                    + "\(enrolled[index].greatestNumber)")
        }
        return !options.isStrict
    }

    private func enroll(
        _ json: JSON, _ name: String, _ data: Data, _ mac: String
    ) -> (response: HTTPResponse, body: Data) {
        let key = json["k"]?.string ?? ""
        guard DeltaWire.mac(data, key: key) == mac else { return sealed(Reply(400), key: key) }
        if let index = index(of: name) {
            return sealed(
                Reply(enrolled[index].isRemoved || enrolled[index].key != key ? 404 : 200),
                key: key)
        }
        guard codes.remove(json["code"]?.string ?? "") != nil else {
            return sealed(Reply(403, ["why": "code"]), key: key)
        }
        enrolled.append(
            Enrolled(
                name: name, provider: json["p"]?.string ?? "",
                account: json["account"]?.string ?? "", key: key,
                token: json["token"]?.string))
        count(.enrolled)
        changes += 1
        return sealed(Reply(200), key: key)
    }

    private func sealed(_ reply: Reply, key: String) -> (response: HTTPResponse, body: Data) {
        var response = HTTPResponse(status: .init(code: reply.status))
        let body = reply.body.data
        if let field = DeltaWire.macField {
            response.headerFields[field] = DeltaWire.mac(body, key: key, over: reply.status)
        }
        if options.tellsTime { response.headerFields[.date] = DeltaWire.date(now() / 1000) }
        return (response, body)
    }
}
