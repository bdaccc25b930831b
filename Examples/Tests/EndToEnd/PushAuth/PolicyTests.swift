import Foundation
import PushCore
import Testing

@testable import PushAuthCommand

@Suite struct PolicyTests {
    // MARK: Conditions

    @Test func `asks a person where no rule matches`() throws {
        #expect(Policy().verdict(on: question(), at: noon) == .wait)
        #expect(try verdict("[[rule]]\nuser = ['bob']\naction = 'approve'") == .wait)
    }

    @Test func `the first rule that matches decides`() throws {
        let text = """
            [[rule]]
            user = ["bob"]
            action = "deny"
            [[rule]]
            name = "first"
            user = ["jane", "bob"]
            action = "approve"
            [[rule]]
            action = "ignore"
            """
        #expect(try verdict(text) == .act(.approve(nil), rule: "first"))
        #expect(
            try verdict(text, on: question(account: "bob"))
                == .act(.deny(.unexpected), rule: "rule 1"))
        #expect(try verdict(text, on: question(account: "eve")) == .act(.ignore, rule: "rule 3"))
    }

    @Test(arguments: [
        ("provider = ['forgerock']", true), ("provider = ['plusauth', 'forgerock']", true),
        ("provider = ['plusauth']", false),
        ("enrollment = ['238f0ed02d02']", true), ("enrollment = ['238f0ed02d00']", false),
        ("enrollment = ['238f0ed02d00', '238f0ed02d02']", true), ("enrollment = []", false),
        ("host = ['login.example.com']", true), ("host = ['LOGIN.example.com']", true),
        ("host = ['example.com']", false), ("host = ['login.example.com.']", false),
        ("host = ['::1', '[::1]', '127.0.0.1']", false), ("host = []", false),
        ("issuer = ['Example Bank']", true),
        ("issuer = ['example bank']", false), ("issuer = ['Example']", false),
        ("user = ['jane']", true), ("user = ['jane ']", false), ("user = []", false),
        ("kind = ['approve']", true),
        ("kind = ['choose', 'enter']\nnumber = { file = 'number' }", false),
        ("field = { Amount = '10 EUR' }", true), ("field = { Amount = '11 EUR' }", false),
        ("field = { amount = '10 EUR' }", false),
        ("field = { Amount = '10 EUR', To = 'Acme' }", true),
        ("field = { Amount = '10 EUR', To = 'Eve' }", false),
        ("hours = '11:00-13:00'", true), ("hours = '12:00-12:01'", true),
        ("hours = '12:01-13:00'", false), ("hours = '11:00-12:00'", false),
        ("hours = '22:00-06:00'", false), ("hours = '22:00-12:01'", true),
        ("hours = '00:00-24:00'", true), ("days = ['thu']", true),
        ("days = ['mon', 'sun']", false),
        ("provider = ['forgerock']\nuser = ['jane']\nhours = '13:00-14:00'", false),
    ])
    func `each condition holds for what it names, exactly`(condition: String, holds: Bool) throws {
        let expected: Verdict = holds ? .act(.approve(nil), rule: "rule 1") : .wait
        #expect(try verdict("[[rule]]\n\(condition)\naction = 'approve'") == expected)
    }

    @Test func `an enrollment without a host is at none`() throws {
        let text = "[[rule]]\nhost = ['login.example.com']\naction = 'approve'"
        #expect(try verdict(text, on: question(host: nil)) == .wait)
        #expect(try verdict(text, on: question(host: "evil.example.com")) == .wait)
        let address = "[[rule]]\nhost = ['::1']\naction = 'approve'"
        #expect(
            try verdict(address, on: question(host: "::1")) == .act(.approve(nil), rule: "rule 1"))
    }

    @Test func `what looks alike isn't the same`() throws {
        // One letter é, and e with an accent of its own.
        let text = "[[rule]]\nuser = ['Ren\u{E9}']\naction = 'approve'"
        #expect(
            try verdict(text, on: question(account: "Ren\u{E9}"))
                == .act(.approve(nil), rule: "rule 1"))
        #expect(try verdict(text, on: question(account: "Rene\u{301}")) == .wait)
    }

    @Test func `a condition on what isn't there doesn't hold`() throws {
        for condition in ["user = ['']", "issuer = ['']"] {
            let text = "[[rule]]\n\(condition)\naction = 'approve'"
            #expect(try verdict(text, on: question(account: nil, issuer: nil)) == .wait)
        }
    }

    @Test(arguments: [(21, false), (22, true), (23, true), (0, true), (5, true), (6, false)])
    func `hours may go over midnight`(hour: Int, holds: Bool) throws {
        let policy = try Policy(parsing: "[[rule]]\nhours = '22:00-06:00'\naction = 'ignore'")
        let date = noon + Double(hour - 12) * 3600
        let verdict = policy.verdict(on: question(), at: date, in: calendar)
        #expect(verdict == (holds ? .act(.ignore, rule: "rule 1") : .wait))
    }

    @Test func `what can only be denied is never approved`() throws {
        let text = """
            [[rule]]
            action = "approve"
            [[rule]]
            action = "deny"
            """
        let question = question(prompt: .denyOnly("newer"))
        #expect(try verdict(text, on: question) == .act(.deny(.unexpected), rule: "rule 2"))
        #expect(try verdict("[[rule]]\naction = 'approve'", on: question) == .wait)
    }

    @Test(arguments: [("ignore", DenyReason.ignore), ("not now", .custom("not now"))])
    func `a rule's reason is one by its name, or the user's own words`(
        text: String, reason: DenyReason
    ) throws {
        #expect(
            try verdict("[[rule]]\naction = 'deny'\nreason = '\(text)'")
                == .act(.deny(reason), rule: "rule 1"))
    }

    // MARK: Files

    @Test(arguments: [
        ("[[rule]]\naction = 'allow'", "approve, deny or ignore"),
        ("[[rule]]\nname = 'x'\naction = 'yes'", "in 'x'"),
        ("[[rule]]\nname = 'x'", "'action' is missing"),
        ("[[rule]]\naction = 'approve'\nusers = ['x']", "users"),
        ("[[rule]]\naction = 'approve'\nuser = 'x'", "'rule.1.user' has a value of the wrong kind"),
        ("[[rule]]\naction = 'approve'\nprovider = ['acme']", "'acme'"),
        ("[[rule]]\naction = 'approve'\nkind = ['number']", "'number'"),
        ("[[rule]]\naction = 'approve'\ndays = ['monday']", "'monday'"),
        ("[[rule]]\naction = 'approve'\nenrollment = ['238f']", "12 digits"),
        ("[[rule]]\naction = 'approve'\nenrollment = ['238F0ED02D02']", "12 digits"),
        ("[[rule]]\naction = 'approve'\nenrollments = ['238f0ed02d02']", "enrollments"),
        ("[[rule]]\naction = 'approve'\nhost = ['https://a.example']", "a host is"),
        ("[[rule]]\naction = 'approve'\nhost = ['a.example:443']", "a host is"),
        ("[[rule]]\naction = 'approve'\nhost = ['a.example/']", "a host is"),
        ("[[rule]]\naction = 'approve'\nhost = ['a@b.example']", "a host is"),
        ("[[rule]]\naction = 'approve'\nhost = ['']", "a host is"),
        ("[[rule]]\naction = 'approve'\nreason = 'fraud'", "only a denial"),
        ("[[rule]]\naction = 'deny'\nnumber = { env = 'X' }", "only an approval"),
        ("[[rule]]\naction = 'approve'\nnumber = { env = 'X', file = 'y' }", "from a file"),
        ("[[rule]]\naction = 'approve'\nnumber = { command = [] }", "from a file"),
        ("[[rule]]\naction = 'approve'\nnumber = { url = 'x' }", "url"),
        (
            "[[rule]]\naction = 'approve'\nnumber = { command = ['x'], inherit = ['PUSHAUTH_KEY'] }",
            "PUSHAUTH_KEY is pushauth's own"
        ),
        (
            "[[rule]]\naction = 'approve'\nnumber = { env = 'PUSHAUTH_KEY' }",
            "PUSHAUTH_KEY is pushauth's own"
        ),
        (
            "[[rule]]\naction = 'approve'\nnumber = { env = 'X', inherit = ['Y'] }",
            "only a command inherits"
        ),
        ("[[rules]]\naction = 'approve'", "'rule' is missing"),
        ("[[rule]\naction = 'approve'", "line"),
    ])
    func `says what is wrong with a policy`(text: String, word: String) throws {
        let error = try #require(throws: (any Error).self) { try Policy(parsing: text) }
        #expect(describe(decoding: error).contains(word), "\(describe(decoding: error))")
    }

    @Test(arguments: [
        "7-19", "07:00", "07:00-", "07:60-08:00", "24:01-25:00", "7:00-19:00", "", "a",
    ])
    func `refuses hours that are none`(hours: String) {
        let text = "[[rule]]\naction = 'approve'\nhours = '\(hours)'"
        let error = #expect(throws: Failure.self) { try Policy(parsing: text) }
        #expect(error?.text.contains("07:00-19:00") == true)
    }

    // MARK: Numbers

    @Test func `a number is the first line of a file, or a variable's`() async throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let file = directory.url.appendingPathComponent("number")
        try Data("  34 \r\n99\n".utf8).write(to: file)
        #expect(try await NumberSource.file(file.path).number(for: question()) == "34")
        try Data("\u{FEFF}34\n".utf8).write(to: file)
        #expect(try await NumberSource.file(file.path).number(for: question()) == "34")
        try Data("\n34\n".utf8).write(to: file)
        await #expect(throws: Failure.self) {
            try await NumberSource.file(file.path).number(for: question())
        }
        let missing = await #expect(throws: Failure.self) {
            try await NumberSource.file(file.path + "x").number(for: question())
        }
        #expect(missing?.text.hasSuffix("can't be read: it or its folder isn't there.") == true)
        #expect(missing?.advice == "Look whether it was moved or removed.")
        await #expect(throws: Failure.self) {
            try await NumberSource.variable("PUSHAUTH_NO_SUCH").number(for: question())
        }
        #expect(try await NumberSource.variable("PATH").number(for: question()).isEmpty == false)
    }

    @Test func `a command gets the question as JSON, and its first line is the number`()
        async throws
    {
        let script = """
            read -r line
            case "$line" in
            *'"prompt":"choose"'*'"options":["12","34"]'*) echo 34; echo 99 ;;
            *) echo "$line" ;;
            esac
            """
        let source = NumberSource.command(["sh", "-c", script])
        #expect(
            try await source.number(for: question(prompt: .choose(["12", "34"]))) == "34")
    }

    @Test(arguments: [["false"], ["sh", "-c", "echo 34; exit 3"], ["true"], ["no-such-program"]])
    func `a command that fails, is missing or says nothing gives no number`(
        words: [String]
    ) async throws {
        await #expect(throws: Failure.self) {
            try await NumberSource.command(words).number(for: question())
        }
    }

    @Test func `a program gets what it takes to run, and what is named`() {
        let own = [
            "PATH": "/bin", "HOME": "/root", "LANG": "C", "LC_ALL": "C", "TERM": "vt", "TZ": "UTC",
            "PUSHAUTH_KEY": "00", "PIN": "1", "CI_TOKEN": "2", "CREDENTIALS_DIRECTORY": "/run/x",
            "PATHS": "3", "LC": "4", "DISPLAY": ":0",
        ]
        let usual = ["PATH", "HOME", "LANG", "LC_ALL", "TERM", "TZ"]
        #expect(Set(ChildEnvironment(to: own).variables.keys) == Set(usual))
        let named = ChildEnvironment(adding: ["DISPLAY", "MISSING"], to: own).variables
        #expect(Set(named.keys) == Set(usual + ["DISPLAY"]))
        #expect(named["DISPLAY"] == ":0" && named["PATH"] == "/bin")
    }

    @Test func `a command that takes too long is ended, and so are its children`() async throws {
        let start = ContinuousClock.now
        let error = await #expect(throws: Failure.self) {
            try await NumberSource.command(["sh", "-c", "sleep 60 & wait; echo 34"])
                .number(for: question(), within: .milliseconds(200))
        }
        #expect(error?.text.contains("too long") == true)
        // Far from a minute, however slow the machine is.
        #expect(start.duration(to: .now) < .seconds(50))
    }

    @Test func `a command may print more than a pipe holds, or read nothing`() async throws {
        let long = NumberSource.command(["sh", "-c", "yes 34 | head -c 200000"])
        #expect(try await long.number(for: question()) == "34")
        let deaf = NumberSource.command(["sh", "-c", "exec <&-; echo 34"])
        #expect(try await deaf.number(for: question()) == "34")
    }

    // MARK: Shared

    /// Thursday, at 12:00 in UTC.
    private let noon = Date(timeIntervalSince1970: 12 * 3600)

    private var calendar: Calendar {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return calendar
    }

    func verdict(_ text: String, on question: Question? = nil) throws -> Verdict {
        try Policy(parsing: text).verdict(on: question ?? self.question(), at: noon, in: calendar)
    }

    func question(
        account: String? = "jane", issuer: String? = "Example Bank",
        host: String? = "login.example.com", prompt: Challenge.Prompt = .approve,
        fields: [(String, String)] = [("Amount", "10 EUR"), ("To", "Acme")]
    ) -> Question {
        let enrollment = Enrollment(
            id: Enrollment.ID("one", of: "forgerock"), issuer: issuer, account: account, host: host,
            state: .active, created: noon)
        let notice = Notice(id: Challenge.ID("a", of: enrollment.id), proof: .mac)
        let challenge = Challenge(
            for: notice, prompt: prompt,
            content: .init(fields: fields.map { .init($0, $1) }),
            context: Secret([]))
        return Question(challenge, of: enrollment)
    }
}
