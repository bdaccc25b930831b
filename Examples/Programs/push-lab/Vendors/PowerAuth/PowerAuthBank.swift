import Foundation
import HTTPTypes
import PushCore
import PushPowerAuth
import PushPowerAuthSimulator
import PushTesting

/// What a bank's app does with the activation besides answering: its own requests, the vault, biometry
/// and PIN that change later.
struct PowerAuthBank: Sendable {
    let lab: PowerAuthLab

    static let resources: [PowerAuthSimulator.BankResource] = [
        .init("/secured/payment"),
        .init("/secured/accounts", methods: [.get]),
        .init("/order", encryption: .activation, answer: ["order": "taken"]),
        .init(
            "/login", proof: .none, encryption: .application, answer: ["welcome": "stranger"]),
        .init(
            "/cards", proof: .token([.possessionKnowledge]), encryption: .activation,
            answer: ["cards": "two"]),
    ]

    var phone: Station<PowerAuthSimulator> { lab.phone }
    var pin: PowerAuthFactors { .pin(Secret(FingerUser.right.utf8)) }

    var flows: [DemoFlow] { signing + sealing + unlocking + changing }

    // MARK: Rows

    private var signing: [DemoFlow] {
        [
            DemoFlow(
                "the bank's own POST, signed with the PIN by 3.1, 3.2 and 3.3",
                expecting: "200, 200, 200; once more: 401", run: pay),
            DemoFlow("the bank's own GET, its query signed", expecting: "200") {
                try await sent(.get, "/secured/accounts?note=%C5%BE+%C3%B3&empty=")
            },
            DemoFlow(
                "a query that the server would read otherwise",
                expecting: "invalidArgument, nothing sent"
            ) {
                let before = await phone.host.requestCount
                let refusal = await refusal {
                    try await sent(.get, "/secured/accounts?note=50%25")
                }
                let count = await phone.host.requestCount
                return "\(refusal), \(count == before ? "nothing sent" : "something sent")"
            },
            DemoFlow(
                "the reply to a signed request lost",
                expecting: "interrupted, signatureTaken; the next: 200", run: loseReply),
        ]
    }

    private var sealing: [DemoFlow] {
        [
            DemoFlow(
                "an order, signed and then encrypted", expecting: "200, taken; nothing to read"
            ) {
                let order = Secret(#"{"amount":"100.00"}"#.utf8)
                let (head, isHidden) = (try await request(.post, "/order"), Hidden())
                let reply = try await manager().requests.inTurn {
                    [pin] (builder) async throws(PushError) in
                    let made = try await builder.signedThenEncrypted(
                        head, body: order, resource: "/order", factors: pin)
                    await isHidden.look(for: "100.00", in: made.body)
                    return try await builder.send(made)
                }
                return "\(reply.response.status.code), \(said(reply, "order")); "
                    + (await isHidden.value ? "nothing to read" : "it can be read")
            },
            DemoFlow("a login, encrypted before any activation", expecting: "200, stranger") {
                let head = try await request(.post, "/login")
                let made = try await PowerAuthApplicationRequests(provider())
                    .encrypted(head, body: Secret(#"{"user":"jane"}"#.utf8))
                let transport = phone.device.environment.transport
                let answer = try await transport.send(made.head, body: made.body)
                let opened = try JSON(
                    parsing: Data(try made.opened(answer.body).withBytes { Array($0) }))
                return "\(answer.response.status.code), \(opened["welcome"]?.string ?? "")"
            },
            DemoFlow(
                "a token made with the PIN reads, encrypted", expecting: "200, two; 200, two"
            ) {
                let head = try await request(.post, "/cards")
                let replies = try await manager().requests.inTurn {
                    [pin] (builder) async throws(PushError) in
                    try await builder.makeToken("cards", factors: pin)
                    var replies: [PowerAuthReply] = []
                    for _ in 0..<2 {
                        let made = try await builder.readingEncrypted(
                            head, body: Secret([UInt8]()), token: "cards")
                        replies.append(try await builder.send(made))
                    }
                    return replies
                }
                return replies.map { "\($0.response.status.code), \(said($0, "cards"))" }
                    .joined(separator: "; ")
            },
        ]
    }

    private var unlocking: [DemoFlow] {
        [
            DemoFlow(
                "vault: the device's key signs a contract", expecting: "the bank verifies it"
            ) {
                let contract = Data("contract 42".utf8)
                let signature = try await manager().vault.signature(over: contract, by: pin)
                let isGenuine = try await phone.simulator.verifyDeviceSignature(
                    signature, over: contract, of: lab.activation().id)
                return isGenuine ? "the bank verifies it" : "the bank doesn't know it"
            },
            DemoFlow("vault: a key for the app's data", expecting: "16 bytes, the same again") {
                let first = try await dataKey()
                let second = try await dataKey()
                return "\(first.count) bytes, "
                    + (first.isEqualInConstantTime(to: second) ? "the same again" : "another")
            },
            DemoFlow(
                "vault: a wrong PIN", expecting: "not taken, asked once; the right one opens it",
                run: mistypeAtVault),
            DemoFlow(
                "vault: a key that isn't this device's", expecting: "untrusted, nothing set up"
            ) {
                let manager = try await manager()
                try await manager.removeBiometry()
                await phone.simulator.spoil(
                    by: .replaced(
                        member: "encryptedVaultEncryptionKey",
                        value: .string(Data(count: 32).base64EncodedString())), at: .vault)
                let refusal = await refusal { try await manager.addBiometry() }
                let isSetUp = try await manager.hasBiometry()
                return "\(refusal), \(isSetUp ? "set up" : "nothing set up")"
            },
        ]
    }

    private var changing: [DemoFlow] {
        [
            DemoFlow("biometry added later", expecting: "added; taken, logged in") {
                try await manager().addBiometry()
                let isSetUp = try await manager().hasBiometry()
                await lab.user.touch()
                let login = try await phone.simulator.startLogin(of: "jane", asking: .biometry)
                let said = try await phone.answer(lab.receiveChallenge(), .approve, login)
                await lab.user.type(FingerUser.right)
                return "\(isSetUp ? "added" : "not added"); \(said)"
            },
            DemoFlow(
                "PIN changed, the server checks the old one",
                expecting: "wrong old one: not taken; changed; the new one is taken",
                run: changePIN),
            DemoFlow(
                "proximity link scanned: claimed, approved",
                expecting: "jane's; delivered, approved",
                run: comeNear),
        ]
    }
}

/// Whether what was looked for wasn't found.
private actor Hidden {
    private(set) var value = true

    func look(for text: String, in bytes: Data) {
        if bytes.firstRange(of: Data(text.utf8)) != nil { value = false }
    }
}
