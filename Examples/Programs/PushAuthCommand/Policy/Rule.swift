import Foundation
import PushCore

/// One rule: what it is for, and what it does. A condition that isn't given holds for everything.
struct Rule: Sendable {
    let name: String
    let action: Verdict.Action
    private let providers: Set<String>?
    private let enrollments: Set<String>?
    private let hosts: Set<String>?
    private let issuers: Set<String>?
    private let users: Set<String>?
    private let kinds: Set<String>?
    private let fields: [String: String]
    private let isOnly: Bool
    private let hours: Hours?
    private let days: Set<Int>?

    init(_ file: PolicyFile.Rule, number: Int, providers known: [String]) throws(Failure) {
        name = file.name ?? "rule \(number)"
        action = try Self.action(file, name)
        providers = try Self.set(file.provider, of: known, "provider", name)
        enrollments = try Self.enrollments(file.enrollment, name)
        hosts = try Self.hosts(file.host, name)
        issuers = file.issuer.map(Set.init)
        users = file.user.map(Set.init)
        let kinds = try Self.set(file.kind, of: ["approve", "choose", "enter"], "kind", name)
        self.kinds = kinds
        // It would wait for a login, and fail then.
        if case .approve(nil) = action,
            let kind = ["choose", "enter"].first(where: { kinds?.contains($0) == true })
        {
            throw Self.fault(
                "'approve' of the kind '\(kind)' needs the number that the login page shows: "
                    + "number = { file = \"…\" }, an env or a command", name)
        }
        fields = file.field ?? [:]
        isOnly = file.only ?? false
        if isOnly, fields.isEmpty {
            throw Self.fault("'only' is of the fields, and none is named", name)
        }
        if let text = file.hours {
            hours = try Hours(text, in: file.name ?? "rule \(number)")
        } else {
            hours = nil
        }
        let names = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
        days = try Self.set(file.days, of: names, "days", name)
            .map { Set($0.compactMap { names.firstIndex(of: $0) }) }
    }

    /// Whether it approves by fields, and whatever is shown beside them.
    var approvesUnnamed: Bool {
        guard case .approve = action else { return false }
        return !fields.isEmpty && !isOnly
    }

    /// Names are compared byte by byte: what looks alike isn't the same.
    func matches(_ question: Question, at date: Date, in calendar: Calendar) -> Bool {
        let (enrollment, challenge) = (question.enrollment, question.challenge)
        return Self.holds(providers, enrollment.id.provider.rawValue)
            && Self.holds(enrollments, Abbreviation(enrollment.id).text)
            && Self.holds(hosts, enrollment.host)
            && Self.holds(issuers, enrollment.issuer) && Self.holds(users, enrollment.account)
            && Self.holds(kinds, challenge.prompt.word)
            && shows(challenge)
            && isTime(date, in: calendar)
    }

    private func isTime(_ date: Date, in calendar: Calendar) -> Bool {
        guard hours != nil || days != nil else { return true }
        let moment = calendar.dateComponents([.hour, .minute, .weekday], from: date)
        return hours?.contains((moment.hour ?? 0) * 60 + (moment.minute ?? 0)) ?? true
            && days?.contains((moment.weekday ?? 1) - 1) ?? true
    }

    /// Whether it shows what is named. To approve, every field with the label must have the value: with one
    /// payee as it should be, another one mustn't pass. To refuse, any field is enough. What can only be
    /// denied may lack what it doesn't show, so nothing is known of its fields: a denial holds.
    private func shows(_ challenge: Challenge) -> Bool {
        if fields.isEmpty { return true }
        if case .denyOnly = challenge.prompt {
            return if case .deny = action { true } else { false }
        }
        if isOnly {
            let areNamed = challenge.fields.allSatisfy { field in
                fields.keys.contains { $0.isSame(as: field.label) }
            }
            guard areNamed else { return false }
        }
        return fields.allSatisfy { label, value in
            let values = challenge.fields.filter { $0.label.isSame(as: label) }.map(\.value)
            if case .approve = action {
                return !values.isEmpty && values.allSatisfy { $0.isSame(as: value) }
            }
            return values.contains { $0.isSame(as: value) }
        }
    }

    private static func holds(
        _ names: Set<String>?, _ name: @autoclosure () -> String?
    ) -> Bool {
        guard let names else { return true }
        guard let name = name() else { return false }
        return names.contains { $0.isSame(as: name) }
    }

    private static func action(
        _ file: PolicyFile.Rule, _ name: String
    ) throws(Failure) -> Verdict.Action {
        switch file.action {
        case "approve":
            guard file.reason == nil else { throw fault("only a denial has a reason", name) }
            return .approve(
                try file.number.map { number throws(Failure) in
                    try source(number, name)
                })
        case "deny":
            guard file.number == nil else { throw fault("only an approval has a number", name) }
            return .deny(
                file.reason.map { DenyReason(name: $0) ?? .custom($0) } ?? .unexpected)
        case "ignore": return .ignore
        default: throw fault("the action is approve, deny or ignore", name)
        }
    }

    private static func source(
        _ number: PolicyFile.Number, _ name: String
    ) throws(Failure) -> NumberSource {
        guard number.inherit == nil || number.command != nil else {
            throw fault("only a command inherits variables", name)
        }
        switch (number.file, number.env, number.command) {
        case (let path?, nil, nil): return .file(path)
        case (nil, let variable?, nil):
            if isOwn(variable) {
                throw fault("\(variable) is pushauth's own: it holds no number", name)
            }
            return .variable(variable)
        case (nil, nil, let words?) where !words.isEmpty:
            let names = number.inherit ?? []
            if let own = names.first(where: isOwn) {
                throw fault("\(own) is pushauth's own: no command inherits it", name)
            }
            return .command(words, inheriting: names)
        default: throw fault("the number comes from a file, an env or a command", name)
        }
    }

    /// Whether a variable is one of this program's, such as the one with the store's key.
    private static func isOwn(_ variable: String) -> Bool { variable.hasPrefix("PUSHAUTH_") }

    /// Whole IDs: so much of one as is unique today may fit another tomorrow.
    private static func enrollments(
        _ ids: [String]?, _ rule: String
    ) throws(Failure) -> Set<String>? {
        guard let ids else { return nil }
        for id in ids
        where id.utf8.count != 12 || !id.utf8.allSatisfy({ "0123456789abcdef".utf8.contains($0) }) {
            throw fault("an enrollment is an ID of 12 digits, as `pushauth list` shows it", rule)
        }
        return Set(ids)
    }

    private static func hosts(_ names: [String]?, _ rule: String) throws(Failure) -> Set<String>? {
        guard let names else { return nil }
        var hosts: Set<String> = []
        for name in names {
            let text = name.contains(":") && !name.hasPrefix("[") ? "[\(name)]" : name
            guard let server = try? Endpoint("https://\(text)"), server.path == "/",
                [server.host, "[\(server.host)]"].contains(text.lowercased())
            else { throw fault("a host is a name or an address, without scheme and port", rule) }
            hosts.insert(server.host)
        }
        return hosts
    }

    private static func set(
        _ names: [String]?, of known: [String], _ key: String, _ rule: String
    ) throws(Failure) -> Set<String>? {
        guard let names else { return nil }
        if let unknown = names.first(where: { !known.contains($0) }) {
            throw fault("\(key) has no '\(unknown)', only \(known.joined(separator: ", "))", rule)
        }
        return Set(names)
    }

    fileprivate static func fault(_ what: String, _ rule: String) -> Failure {
        Failure(.store, "in '\(rule)', \(what).")
    }
}

extension String {
    /// Whether it has the same bytes, however it is normalized.
    func isSame(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}

/// Hours of a day, such as `22:00-06:00`; the last minute isn't part of them.
struct Hours: Sendable {
    private let start: Int
    private let end: Int

    init(_ text: String, in rule: String) throws(Failure) {
        let ends = text.split(separator: "-", omittingEmptySubsequences: false).map(Self.minute)
        guard ends.count == 2, let start = ends[0], let end = ends[1] else {
            throw Rule.fault("the hours look like 07:00-19:00", rule)
        }
        self.start = start
        self.end = end
    }

    func contains(_ minute: Int) -> Bool {
        start <= end ? (start..<end).contains(minute) : minute >= start || minute < end
    }

    private static func minute(_ text: Substring) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2,
            parts.allSatisfy({ $0.utf8.count == 2 && $0.utf8.allSatisfy { (48...57).contains($0) } }
            ),
            let hour = UInt8(parts[0]), let minute = UInt8(parts[1]),
            minute < 60
        else { return nil }
        let total = Int(hour) * 60 + Int(minute)
        return total <= 24 * 60 ? total : nil
    }
}
