import PushCore

/// What the harness knows of one login: what was asked, and what the SDK said of it.
struct LoginFacts: Sendable {
    /// What an answer's caller was told.
    struct Acknowledgement: Hashable, Sendable {
        let choice: Choice
        /// The outcome, in the words of the table.
        let outcome: String
    }

    /// The server's identifier of it.
    let id: String
    let user: String

    /// Its push, as it is delivered again and again.
    let payload: String

    /// The number on the login page; `nil` if only a yes or no is asked for.
    let shown: String?

    /// Who asks.
    var vendor = SoakVendor.whole

    /// The device's names for it; `nil` until a delivery was acknowledged.
    var names: Names?

    /// How often the device called it new.
    var timesNew = 0

    /// How often the user made an answer again of which only a part was left.
    var timesMadeAgain = 0

    var acknowledged: [Acknowledgement] = []

    /// The decisions that the store held at some time.
    var kept: Set<Choice> = []

    /// Where the login stands at the server, asked once it was answered.
    var status = ""

    /// What the store said of it once it was answered. Later it may say nothing: only the newest
    /// rows stay whole.
    var end: StoreSnapshot.Row?

    /// The device's names for a login.
    struct Names: Hashable, Sendable {
        let mechanism: String
        let challenge: String
    }
}

extension LoginFacts {
    /// Reads what the server replied to `login`.
    init(of user: String, at vendor: SoakVendor, reading reply: JSON) throws(PushError) {
        self.init(
            id: try reply.text("login"), user: user, payload: try reply.text("payload"),
            shown: reply["shown"]?.string, vendor: vendor)
    }

    /// What a device is told so that it knows which challenge is meant; `nil` until it named it.
    var arguments: JSON.Object? {
        names.map { names in
            [
                "vendor": .string(vendor.name), "mechanism": .string(names.mechanism),
                "challenge": .string(names.challenge),
            ]
        }
    }

    /// A number the push offers that isn't the right one.
    var wrongNumber: Choice? {
        guard let push = try? JSON(parsing: payload), let shown,
            let numbers = push["aps"]?["data"]?.string
                .flatMap(ServerExchange.Request.claims(of:))?["n"]?.string
        else { return nil }
        return numbers.split(separator: ",").map(String.init).first { $0 != shown }
            .map(Choice.number)
    }

    /// The two answers that the server takes.
    var validChoices: [Choice] { [shown.map(Choice.number) ?? .approve, .deny] }

    /// Notes what the device said to a delivery.
    ///
    /// - Returns: Whether the login waits for an answer.
    @discardableResult
    mutating func note(delivery reply: JSON) throws(PushError) -> Bool {
        names = Names(
            mechanism: try reply.text("mechanism"), challenge: try reply.text("challenge"))
        if reply["new"]?.bool == true { timesNew += 1 }
        return reply["open"]?.bool == true
    }
}
