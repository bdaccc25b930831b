import Foundation
import PushCore

/// Where a store is: in a directory of this machine, or on servers that machines share.
enum StoreLocation: Hashable, Sendable {
    case directory(String)
    case etcd(EtcdPlace)
    case postgres(PostgresPlace)

    /// Reads what a user named.
    ///
    /// - Throws: `Failure` if it is a URL of another kind, or one that lacks something.
    init(_ text: String) throws(Failure) {
        guard let mark = text.range(of: "://") else {
            self = .directory(text)
            return
        }
        let rest = String(text[mark.upperBound...])
        switch text[..<mark.lowerBound].lowercased() {
        case "etcd": self = .etcd(try EtcdPlace(rest, scheme: "https"))
        case "etcd+http": self = .etcd(try EtcdPlace(rest, scheme: "http"))
        case "postgres", "postgresql": self = .postgres(try PostgresPlace(rest))
        case let other:
            throw Failure(
                .store, "There is no store of the kind '\(other)'.",
                advice: "A directory, \(EtcdPlace.example) or \(PostgresPlace.example).")
        }
    }

    /// Whether machines share it.
    var isShared: Bool {
        if case .directory = self { false } else { true }
    }

    /// Whose records it has; `nil` for a directory, which is one user's.
    var tenant: String? {
        switch self {
        case .directory: nil
        case .etcd(let place): place.tenant
        case .postgres(let place): place.tenant
        }
    }

    /// For a message. It has no password, as there is none in a URL.
    var text: String {
        switch self {
        case .directory(let path): path
        case .etcd(let place): place.text
        case .postgres(let place): place.text
        }
    }
}

/// Members of etcd, and whose records are meant.
struct EtcdPlace: Hashable, Sendable {
    static let example = "etcd://HOST:2379,HOST:2379/TENANT"

    /// As `https://host:2379`.
    let members: [String]
    let user: String?
    let tenant: String
    let text: String

    fileprivate init(_ rest: String, scheme: String) throws(Failure) {
        let parts = StoreURL(rest)
        try parts.refusePassword()
        guard parts.query.isEmpty, parts.path.count == 1, let tenant = parts.path.first,
            !tenant.isEmpty
        else {
            throw Failure(
                .store, "The URL of etcd names no tenant, or more than one.",
                advice: "Such as \(Self.example); a tenant has records of its own.")
        }
        self.tenant = tenant
        user = parts.user
        members = parts.hosts.map { "\(scheme)://\($0)" }
        text = (scheme == "http" ? "etcd+http://" : "etcd://") + rest
    }
}

/// A database of PostgreSQL, and whose records are meant.
struct PostgresPlace: Hashable, Sendable {
    static let example = "postgres://ROLE@HOST,HOST/DATABASE?tenant=TENANT"

    let tenant: String
    let text: String

    private let hosts: String
    private let user: String?
    private let database: String
    private let query: [(name: String, value: String)]

    static func == (one: PostgresPlace, other: PostgresPlace) -> Bool { one.text == other.text }

    func hash(into hasher: inout Hasher) { hasher.combine(text) }

    fileprivate init(_ rest: String) throws(Failure) {
        let parts = StoreURL(rest)
        try parts.refusePassword()
        let tenants = parts.query.filter { $0.name == "tenant" }
        guard parts.path.count == 1, let database = parts.path.first, !database.isEmpty,
            tenants.count == 1, !tenants[0].value.isEmpty
        else {
            throw Failure(
                .store, "The URL of PostgreSQL lacks the database, or the tenant.",
                advice: "Such as \(Self.example); the tenant's schema has its name.")
        }
        tenant = tenants[0].value
        hosts = parts.hosts.joined(separator: ",")
        user = parts.user
        self.database = database
        query = parts.query.filter { $0.name != "tenant" }
        text = "postgres://" + rest
    }

    /// The connection string, with what the configuration adds.
    func address(
        user settingsUser: String?, password: Secret?, files: [(name: String, path: String?)]
    ) -> String {
        var address = "postgres://"
        if let user = user ?? settingsUser.map(StoreURL.escaped) {
            address += user
            if let password { address += ":" + StoreURL.escaped(password.copiedText()) }
            address += "@"
        }
        let added = files.compactMap { name, path in
            path.map { (name: name, value: StoreURL.escaped($0)) }
        }
        let options = (query + added).map { "\($0.name)=\($0.value)" }.joined(separator: "&")
        return address + hosts + "/" + database + (options.isEmpty ? "" : "?" + options)
    }
}

/// What stands behind `://`, taken apart; nothing in it is decoded.
private struct StoreURL {
    let user: String?
    let hosts: [String]
    let path: [String]
    let query: [(name: String, value: String)]
    private let hasPassword: Bool

    init(_ text: String) {
        let halves = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        query = (halves.count == 2 ? halves[1] : "").split(separator: "&").map { item in
            let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (String(parts[0]), parts.count == 2 ? String(parts[1]) : "")
        }
        let places = halves[0].split(separator: "/", omittingEmptySubsequences: false)
        path = places.dropFirst().map(String.init)
        let authority = places.first ?? ""
        let at = authority.lastIndex(of: "@")
        let userInfo = at.map { authority[..<$0] }
        user = userInfo.map { String($0.prefix { $0 != ":" }) }
        hosts = (at.map { authority[authority.index(after: $0)...] } ?? authority)
            .split(separator: ",").map(String.init)
        hasPassword = userInfo?.contains(":") == true || query.contains { $0.name == "password" }
    }

    func refusePassword() throws(Failure) {
        guard hasPassword else { return }
        throw Failure(
            .store,
            "A password doesn't belong in the store's URL: others on this machine may read it there.",
            advice: StorePassword.advice)
    }

    /// For a part of a URL.
    static func escaped(_ text: String) -> String {
        text.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "a")...UInt8(ascii: "z"):
                String(UnicodeScalar(byte))
            default: "%" + [byte].hexadecimal.uppercased()
            }
        }.joined()
    }
}
