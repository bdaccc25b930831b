import Foundation
import HTTPTypes
import LocalServer
import PushCore
import PushTesting
import PushXignInSimulator

/// The logins that were let run out, for a simulator that has no end for them but the time.
actor ExpiredLogins {
    private var marks: Set<String> = []
    private var pushed: Set<String> = []

    /// Lets logins run out by their identifiers.
    func add(_ logins: [SimulatedLogin.ID]) {
        marks.formUnion(logins)
    }

    /// Notes the token by which a device would answer a push of PlusAuth's.
    func note(_ push: SimulatedPush) {
        if let token = Self.token(in: push) { pushed.insert(token) }
    }

    /// The token by which a device would answer a push of PlusAuth's.
    static func token(in push: SimulatedPush) -> String? {
        guard let payload = try? JSON(parsing: push.payload),
            let jwt = (payload["context"] ?? payload["data"]?["context"])?.string
        else { return nil }
        return RequestReading.claims(of: jwt)?["context_token"]?.string
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

extension XignInSimulator {
    /// Answers a request about a process as if its deadline had passed.
    ///
    /// A manager whose clock is ahead would refuse the request for its time instead, and so teach
    /// the device a wrong one.
    func refuseAsExpired(
        _ request: HTTPRequest, _ body: Data
    ) -> (response: HTTPResponse, body: Data) {
        // What carries no token is refused without taking the fault.
        guard request.headerFields[.authorization]?.hasPrefix("OXRW ") == true else {
            return respond(to: request, body: body)
        }
        // Nothing comes between the two: the fault is this answer's.
        spoil(by: .refusal(status: 410, error: "process_expired"))
        return respond(to: request, body: body)
    }
}
