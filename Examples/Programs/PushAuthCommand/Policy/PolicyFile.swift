/// A policy as it is written.
struct PolicyFile: Decodable {
    var rule: [Rule]

    struct Rule: Decodable {
        var name: String?
        var action: String
        var provider: [String]?
        var enrollment: [String]?
        var host: [String]?
        var issuer: [String]?
        var user: [String]?
        var kind: [String]?
        var field: [String: String]?
        var only: Bool?
        var hours: String?
        var days: [String]?
        var reason: String?
        var number: Number?
    }

    struct Number: Decodable {
        var file: String?
        var env: String?
        var command: [String]?
        var inherit: [String]?
    }
}
