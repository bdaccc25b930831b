import Foundation
import HTTPTypes
import PushCore
import PushPowerAuthSimulator
import PushTesting
import Testing

@testable import PushPowerAuth

@Suite struct SignedRequestTests: ServedSuite {
    let served: Served

    init() async throws {
        served = try await Served()
        await served.bank.opensServices()
    }

    private var seen: [PowerAuthSimulator.ResourceCall] {
        get async { await bank.simulator.resourceRequests }
    }

    @Test(arguments: [HTTPRequest.Method.put, .patch, .delete])
    func `the body is signed, and the resource's name is filled in`(
        _ method: HTTPRequest.Method
    ) async throws {
        let reply = try await phone.signed(method, "/secured/account/7", body: "x", of: id)
        #expect(reply.response.status == .ok)
        #expect(await seen.map(\.method) == [method])
        #expect(await seen.first?.body == Data("x".utf8))
        #expect(
            await attemptsLeft {
                try await phone.signed(
                    method, "/secured/account/7", as: "/secured/account/8", of: id)
            } == 4)
    }

    @Test func `a DELETE signs its body, and not its query`() async throws {
        let reply = try await phone.signed(.delete, "/secured/account/7?a=b", of: id)
        #expect(reply.response.status == .ok)
        #expect(await seen.map(\.path) == ["/secured/account/7?a=b"])
    }

    @Test func `a parameter goes before the path where a name is filled in`() async throws {
        let path = "/secured/account/7?id=8"
        try await phone.signed(.delete, path, as: "/secured/account/8", of: id)
        #expect(
            await attemptsLeft {
                try await phone.signed(.delete, path, as: "/secured/account/7", of: id)
            } == 4)
    }

    @Test(arguments: [
        "", "?", "?page=2", "?b=2&a=1&a=0&A=3",
        "?iban=CZ65+0800&note=%C5%BE%20%c3%b3&Zeta=*~&empty=",
        "?q=a%3Db", "?%F0%9F%92%B0=1&%EF%BF%BD=2",
    ])
    func `a GET signs what the server reads of its query`(_ query: String) async throws {
        try await phone.signed(.get, "/secured/account/list" + query, by: .possession, of: id)
        #expect(await seen.count == 1)
    }

    @Test(arguments: [
        "?note=50%25", "?note=a%26b", "?note=a%2Bb", "?note=%2541", "?a%3Db=c", "?%26=1",
    ])
    func `what the server would decode once more is refused, and no counter moves`(
        _ query: String
    ) async throws {
        let before = try await phone.record(id).counter
        #expect(
            await code { try await phone.signed(.get, "/secured/account/list" + query, of: id) }
                == .invalidArgument)
        #expect(try await phone.record(id).counter == before)
        // It is so: what was meant, which is written as in these queries, isn't taken.
        await bank.configure { $0.resources = [Bank.accounts] }
        let head = phone.request(.get, "/secured/account/list" + query)
        let meant = query.dropFirst()
        let reply = try await phone.requests(id).inTurn { (builder) async throws(PushError) in
            let data = SignedData(
                method: "GET", uriID: "/secured/account/list", body: Data(meant.utf8))
            let made = try await builder.channel.signature(
                of: data, for: builder.account, .possession)
            var signed = head
            try signed.set(SignatureHeader.name, made.header)
            return try await builder.channel.environment.transport.send(signed, body: Data())
        }
        #expect(reply.response.status == 401)
    }

    @Test(arguments: ["?a", "?a=%4", "?a=%FF", "?a=1&&b=2", "?a=%G1"])
    func `a query that can't be decoded, or that servers drop, is refused`(
        _ query: String
    ) async throws {
        #expect(
            await code { try await phone.signed(.get, "/secured/account/list" + query, of: id) }
                == .invalidArgument)
    }

    @Test func `other methods, bodies of a GET and names with gaps are refused`() async throws {
        let bad: [(HTTPRequest.Method, String, String)] = [
            (.head, "", "/x"), (.options, "", "/x"), (.get, "x", "/x"), (.post, "", ""),
            (.post, "", "/secured/account/${id}"),
        ]
        for (method, body, name) in bad {
            #expect(
                await code { try await phone.signed(method, "/x", body: body, as: name, of: id) }
                    == .invalidArgument)
        }
        #expect(
            try await phone.record(id).counter.byte == bank.record(id).counter.map { UInt8($0) })
    }

    static let factors: [(PowerAuthFactors, PowerAuthSimulator.SignatureType)] = [
        (.possession, .possession), (.pin(Customer.pin), .possessionKnowledge),
        (.biometry(Customer.finger), .possessionBiometry),
        (
            .pinAndBiometry(pin: Secret(Customer.pin.utf8), secret: Customer.finger),
            .possessionKnowledgeBiometry
        ),
        (.pinAlone(Secret(Customer.pin.utf8)), .knowledge),
        (.biometryAlone(Customer.finger), .biometry),
    ]

    @Test(arguments: 0..<factors.count, PowerAuthVersion.allCases)
    func `each combination of factors signs, in each version`(
        _ index: Int, _ version: PowerAuthVersion
    ) async throws {
        let phone = try await PowerAuthHarness(
            of: bank, customer: Customer(finger: Customer.finger)
        ) { $0.version = version }
        let id = try await phone.activated()
        let (factors, type) = Self.factors[index]
        try await phone.signed(path: "/any", by: factors, of: id)
        #expect(await seen.last?.type == type)
        #expect(await seen.last?.activation == id.name)
        let wrong: PowerAuthFactors? =
            switch factors {
            case .pinAndBiometry: .pinAndBiometry(pin: Secret("9".utf8), secret: Customer.finger)
            case .pinAlone: .pinAlone(Secret("9".utf8))
            case .pin: .pin("9999")
            default: nil
            }
        guard let wrong else { return }
        #expect(
            await attemptsLeft { try await phone.signed(path: "/any", by: wrong, of: id) } == 4)
    }

    @Test func `a kind that the endpoint doesn't take costs no attempt`() async throws {
        #expect(
            await code { try await phone.signed(by: .possession, of: id) } == .server(status: 401))
        #expect(try await bank.record(id).failedAttempts == 0)
        try await phone.signed(of: id)
    }

    @Test func `fifty requests at once arrive in the order of their signatures`() async throws {
        let (phone, id) = (phone, id)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<50 {
                group.addTask {
                    try await phone.signed(body: "\(number)", by: .pin(Customer.pin), of: id)
                }
            }
            try await group.waitForAll()
        }
        #expect(await Set(seen.map(\.body)).count == 50)
        let counters = await bank.counters(of: id)
        #expect(counters == counters.sorted())
        #expect(try await bank.record(id).failedAttempts == 0)
    }

    @Test func `two processes never use one value of the counter`() async throws {
        let other = try await phone.another()
        let id = id
        for number in 0..<12 {
            try await (number % 2 == 0 ? phone : other).signed(by: .pin(Customer.pin), of: id)
        }
        let counters = await bank.counters(of: id)
        #expect(Set(counters).count == counters.count)
    }

    // MARK: Lost replies and refusals

    @Test func `a gateway that answers in the server's place leads to no deadlock`() async throws {
        let gateway = SimulatedTransport { _, _ in
            (HTTPResponse(status: .ok), Data("<html>".utf8))
        }
        let head = phone.request(.post, "/secured/payment")
        for _ in 0..<50 {
            _ = try await phone.requests(id).inTurn { (builder) async throws(PushError) in
                try await builder.send(
                    try await builder.signed(
                        head, body: Data(), resource: "/secured/payment", factors: .possession),
                    over: gateway)
            }
        }
        try await phone.signed(of: id)
        #expect(try await bank.record(id).failedAttempts == 0)
    }

    @Test func `of a counter whose byte isn't known no lost reply is judged`() async throws {
        try await phone.account(id).change { (record: inout PowerAuthRecord, _) in
            record.knowsCounterByte = false
            record.ahead = 0
        }
        await phone.faults.next(.dropAfter) { $0.path == "/secured/payment" }
        let error = await #expect(throws: PushError.self) { try await phone.signed(of: id) }
        #expect(error?.underlying as? PowerAuthLostReply == .unknown)
    }

    @Test(arguments: [
        (FaultPlan.Fault.dropAfter, PowerAuthLostReply.signatureTaken),
        (.dropBefore, .signatureNotTaken),
    ])
    func `a lost reply is asked about`(
        _ fault: FaultPlan.Fault, _ fate: PowerAuthLostReply
    ) async throws {
        await phone.faults.next(fault) { $0.path == "/secured/payment" }
        let error = await #expect(throws: PushError.self) { try await phone.signed(of: id) }
        #expect(error?.code == .interrupted)
        #expect(error?.underlying as? PowerAuthLostReply == fate)
        try await phone.signed(of: id)
    }

    @Test func `where the state can't be asked for, nothing is said of a lost reply`() async throws
    {
        await phone.faults.next(.dropAfter) { $0.path == "/secured/payment" }
        await phone.fail(.status, .refuse)
        let error = await #expect(throws: PushError.self) { try await phone.signed(of: id) }
        #expect(error?.underlying as? PowerAuthLostReply == .unknown)
    }

    @Test func `the last wrong PIN blocks, and nothing more is sent`() async throws {
        for _ in 0..<4 {
            #expect(await code { try await phone.signed(by: .pin("9999"), of: id) } != nil)
        }
        #expect(await code { try await phone.signed(by: .pin("9999"), of: id) } == .blocked)
        #expect(await code { try await phone.signed(of: id) } == .blocked)
        #expect(await seen.isEmpty)
    }

    @Test func `a bank's own 401 is handed to the app as it is`() async throws {
        await phone.faults.next(.status(401)) { $0.path == "/secured/payment" }
        let reply = try await phone.signed(of: id)
        #expect(reply.response.status == 401)
        #expect(try await bank.record(id).failedAttempts == 0)
    }

    @Test func `requests that never leave don't lose the activation`() async throws {
        for _ in 0..<30 {
            await phone.faults.next(.refuse) { $0.path == "/secured/payment" }
            _ = await code { try await phone.signed(of: id) }
        }
        try await phone.signed(of: id)
        #expect(try await phone.state(id) == .active)
    }
}

extension PowerAuthHarness {
    @discardableResult
    fileprivate func signed(
        path: String, by factors: PowerAuthFactors, of id: Enrollment.ID
    ) async throws -> PowerAuthReply {
        try await signed(.post, path, body: "{}", by: factors, of: id)
    }
}
