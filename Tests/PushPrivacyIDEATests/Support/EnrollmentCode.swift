/// A code as a server shows it, changed as a test wants.
struct EnrollmentCode {
    var parameters = [
        "url": "https%3A//pi.example.com/ttype/push", "ttl": "10", "issuer": "privacyIDEA",
        "enrollment_credential": "978e752a04f33207fd12a550b5a0277fce801a75", "v": "1",
        "serial": "PIPU0001ABCD", "sslverify": "1", "poll_only": "False",
    ]

    init(_ changes: [String: String?] = [:]) {
        for (name, value) in changes { parameters[name] = value }
    }

    var text: String {
        let query = parameters.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        return "otpauth://pipush/ada?\(query.joined(separator: "&"))"
    }
}
