import HTTPTypes
import PushTesting

/// The logins that were let run out, for a simulator that has no end for them but the time.
actor ExpiredLogins {
    private var marks: Set<String> = []
    private var pushed: Set<String> = []

    /// Lets logins run out by their identifiers.
    func add(_ logins: [SimulatedLogin.ID]) {
        marks.formUnion(logins)
    }

    /// Notes the bearer token by which a device would answer a push.
    func note(_ token: String) {
        pushed.insert(token)
    }

    /// Lets all logins run out that were pushed so far.
    func addPushed() {
        marks.formUnion(pushed)
        pushed = []
    }

    /// Whether a request names an expired login, in its path or as its bearer token.
    func contain(loginOf request: HTTPRequest) -> Bool {
        let parts = (request.path ?? "").split(separator: "/").map(String.init)
        let bearer = request.headerFields[.authorization]?.split(separator: " ").last
        return (parts + [String(bearer ?? "")]).contains { marks.contains($0) }
    }
}
