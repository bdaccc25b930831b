import PushCore
import Testing

@testable import PushPowerAuth

@Suite struct PromptTests {
    private func prompt(
        _ change: [String: JSON?], biometry: Bool = false
    ) throws -> Challenge.Prompt {
        try OperationTests.operation(change.merging(["ui": .none]) { one, _ in one })
            .prompt(hasBiometry: biometry)
    }

    private func isDenyOnly(_ prompt: Challenge.Prompt) -> Bool {
        if case .denyOnly = prompt { true } else { false }
    }

    private func verification(
        _ type: String, _ variants: [String], biometry: Bool
    ) throws -> [[Factor]]? {
        try OperationTests.operation([
            "allowedSignatureType": [
                "type": .string(type), "variants": .array(variants.map { .string($0) }),
            ]
        ]).allowedSignatureType.verification(hasBiometry: biometry)
    }

    @Test(
        arguments: [
            ("1FA", [], true, []), ("1FA", ["possession"], false, []),
            ("2FA", ["possession_knowledge", "possession_biometry"], true, [[.biometry], [.pin]]),
            ("2FA", ["possession_knowledge", "possession_biometry"], false, [[.pin]]),
            ("2FA", ["possession_knowledge"], true, [[.pin]]),
            ("2FA", ["possession_biometry"], true, [[.biometry]]),
            ("2FA", ["new", "possession_knowledge"], false, [[.pin]]),
        ] as [(String, [String], Bool, [[Factor]])])
    func `what the user brings is what the operation lists`(
        _ type: String, _ variants: [String], _ biometry: Bool, _ expected: [[Factor]]
    ) throws {
        #expect(try verification(type, variants, biometry: biometry) == expected)
    }

    @Test(arguments: [
        ("1FA", ["possession_knowledge"]), ("2FA", []), ("2FA", ["possession"]), ("2FA", ["new"]),
        ("2FA", ["possession_knowledge_biometry"]), ("ECDSA", []),
        ("ECDSA", ["possession_knowledge"]),
    ])
    func `a signature that can't be made leaves only a no`(
        _ type: String, _ variants: [String]
    ) throws {
        #expect(try verification(type, variants, biometry: true) == nil)
        let signature: JSON = [
            "type": .string(type), "variants": .array(variants.map { .string($0) }),
        ]
        #expect(isDenyOnly(try prompt(["allowedSignatureType": signature], biometry: true)))
    }

    @Test func `biometry alone is not enough for a device without it`() throws {
        #expect(try verification("2FA", ["possession_biometry"], biometry: false) == nil)
    }

    @Test func `an operation as it is usual is approved or rejected`() throws {
        #expect(try prompt([:]) == .approve)
        let screens: JSON = [["type": "INFO"], ["type": "WARNING"]]
        #expect(try prompt(["ui": ["preApprovalScreens": screens]]) == .approve)
    }

    @Test func `a code that must be scanned can come later`() throws {
        let ui: JSON = ["preApprovalScreen": ["type": "QR_SCAN"]]
        #expect(try prompt(["ui": ui]) == .approve)
    }

    @Test func `what isn't known can only be rejected`() throws {
        let ui: JSON = ["preApprovalScreen": ["type": "HYPNOSIS"]]
        #expect(isDenyOnly(try prompt(["ui": ui])))
        #expect(isDenyOnly(try prompt(["status": "NEW"])))
    }

    @Test func `what can't be shown whole can only be rejected`() throws {
        func operation(_ length: Int, in place: String) -> [String: JSON?] {
            let text = JSON.string(String(repeating: "x", count: length))
            let note: JSON = ["type": "NOTE", "id": "1", "label": "L", "note": text]
            let isMessage = place == "message"
            return [
                "formData": [
                    "title": "T", "message": isMessage ? text : "M",
                    "attributes": isMessage ? [] : [note],
                ]
            ]
        }
        for place in ["message", "note"] {
            #expect(try prompt(operation(2048, in: place)) == .approve)
            #expect(isDenyOnly(try prompt(operation(2049, in: place))))
        }
    }

    @Test(arguments: ["title", "label", "heading", "warning", "item"])
    func `a label or a warning that would be cut leaves only a no`(_ place: String) throws {
        func operation(_ length: Int) -> [String: JSON?] {
            func text(_ here: String, _ limit: Int) -> JSON {
                .string(String(repeating: "x", count: here == place ? limit + length : 1))
            }
            return [
                "formData": [
                    "title": text("title", 64), "message": "M",
                    "attributes": [
                        ["type": "NOTE", "id": "1", "label": text("label", 64), "note": "n"],
                        [
                            "type": "ALERT", "id": "2", "label": "L", "alertType": "INFO",
                            "title": "t", "message": "m",
                        ], ["type": "HEADING", "id": "3", "label": text("heading", 64)],
                    ],
                ],
                "ui": [
                    "preApprovalScreen": ["type": "WARNING", "heading": text("warning", 64)],
                    "preApprovalScreens": [
                        // A new line joins both.
                        ["type": "INFO", "message": "m", "items": [text("item", 2046)]]
                    ],
                ],
            ]
        }
        #expect(try prompt(operation(0)) == .approve)
        #expect(isDenyOnly(try prompt(operation(1))))
    }

    private static let amount: JSON = [
        "type": "AMOUNT", "id": "a", "label": "Amount", "amount": 10, "currency": "CZK",
    ]

    private static func form(_ attributes: JSON) -> [String: JSON?] {
        ["ui": .none, "formData": ["title": "Pay", "message": "M", "attributes": attributes]]
    }

    @Test(
        arguments: [
            ["type": "AMOUNT", "id": "1", "label": "Amount", "amount": "ten", "currency": "CZK"],
            ["type": "KEY_VALUE", "id": "1", "label": "Payee", "value": ["IBAN"]],
            ["type": "KEY_VALUE", "id": "1", "label": "Payee"],
            ["type": "PARTY_INFO", "id": "1", "label": "Payee", "partyInfo": ["name": 5]],
            ["type": "HOLOGRAM", "id": "1", "label": "Payee", "value": "x"],
            ["id": "1", "label": "Payee", "value": "x"], "Payee",
            ["type": "KEY_VALUE", "id": "1", "value": "x"],
            ["type": "KEY_VALUE", "label": "Payee", "value": "x"],
            ["type": "HEADING", "id": "1", "label": 7],
            // What is there, and can't be seen.
            ["type": "AMOUNT", "id": "1", "label": "All", "amount": 9, "currency": ""],
            [
                "type": "AMOUNT", "id": "1", "label": "All", "amount": 9, "currency": "EUR",
                "valueFormatted": "",
            ],
            [
                "type": "AMOUNT", "id": "1", "label": "All", "amount": 9, "currency": "EUR",
                "amountFormatted": "\u{200B}",
            ],
            [
                "type": "AMOUNT_CONVERSION", "id": "1", "label": "Rate", "dynamic": false,
                "sourceValueFormatted": "1 EUR", "targetValueFormatted": " ",
            ],
            ["type": "PARTY_INFO", "id": "1", "label": "Payee", "partyInfo": ["name": ""]],
            ["type": "KEY_VALUE", "id": "1", "label": "Payee", "value": "\u{200B}"],
            ["type": "NOTE", "id": "1", "label": "Payee", "note": "\u{3164}\u{2800}"],
            ["type": "KEY_VALUE", "id": "1", "label": "", "value": "x"],
            ["type": "KEY_VALUE", "id": "1", "label": "\u{200B}", "value": "x"],
            ["type": "HEADING", "id": "1", "label": " "],
            ["type": "AMOUNT", "id": "1", "label": "", "amount": 9, "currency": "EUR"],
            // Marks that pile up are cut off.
            [
                "type": "KEY_VALUE", "id": "1", "label": "Payee",
                "value": .string("Acme1" + String(repeating: "\u{301}", count: 9)),
            ],
        ] as [JSON])
    func `an operation with a part that nobody can see whole can only be rejected`(
        _ part: JSON
    ) throws {
        #expect(try prompt(Self.form([Self.amount])) == .approve)
        for list in [[Self.amount, part], [part, Self.amount]] {
            let form = Self.form(.array(list))
            #expect(isDenyOnly(try prompt(form)))
            // What can be shown is shown.
            let fields = try OperationTests.operation(form).fields
            #expect(fields.contains(.init("Amount", "10 CZK")))
            if let label = part["label"]?.string, !DisplayText.isBlank(label) {
                #expect(fields.contains { $0.label == label })
            }
            if part["type"] == "KEY_VALUE", let value = part["value"]?.string, value == "x" {
                #expect(fields.contains { $0.value == value })
            }
        }
    }

    @Test(
        arguments: [
            ["type": "KEY_VALUE", "id": "1", "label": "Symbol", "value": ""],
            ["type": "NOTE", "id": "1", "label": "Note", "note": ""],
            ["type": "HEADING", "id": "1", "label": "Details"],
            [
                "type": "PARTY_INFO", "id": "1", "label": "Shop",
                "partyInfo": ["name": "Acme", "description": ""],
            ],
            [
                "type": "KEY_VALUE", "id": "1", "label": "Name",
                "value": .string("e" + String(repeating: "\u{301}", count: 8)),
            ],
        ] as [JSON])
    func `an empty value hides nothing`(_ part: JSON) throws {
        #expect(try prompt(Self.form([Self.amount, part])) == .approve)
    }

    @Test func `attributes that are no list can only be rejected`() throws {
        for form in [Self.form("none"), Self.form(["0": Self.amount])] {
            #expect(isDenyOnly(try prompt(form)))
        }
    }

    @Test func `an operation of more parts than anyone reads can only be rejected`() throws {
        for (count, isApprovable) in [(63, true), (64, false)] {
            let form = Self.form(.array(Array(repeating: Self.amount, count: count)))
            #expect(try isDenyOnly(prompt(form)) == !isApprovable)
            #expect(try OperationTests.operation(form).fields.count == 64)
        }
    }

    @Test(
        arguments: [
            ["type": "WARNING", "heading": 5], ["type": "INFO", "message": ["M"]],
            ["type": "WARNING", "items": "a"], ["type": "WARNING", "items": ["a", 5]],
        ] as [JSON])
    func `a warning that can't be read whole leaves only a no`(_ screen: JSON) throws {
        #expect(isDenyOnly(try prompt(["ui": ["preApprovalScreen": screen]])))
        #expect(isDenyOnly(try prompt(["ui": ["preApprovalScreens": [screen]]])))
    }

    @Test func `what must be seen before the approval comes first`() throws {
        let operation = try OperationTests.operation([
            "formData": ["title": "Pay", "message": "to whom"],
            "ui": [
                "preApprovalScreen": [
                    "type": "WARNING", "heading": "Stop", "message": "Fraud?", "items": ["a", "b"],
                ],
                "preApprovalScreens": [
                    ["type": "INFO", "message": "Read"], ["type": "WARNING"],
                    ["type": "QR_SCAN", "heading": "Scan"],
                ],
            ],
        ])
        #expect(
            operation.fields == [
                .init("Stop", "Fraud?\na\nb"), .init("Information", "Read"), .init("Warning", ""),
                .init("Pay", "to whom"),
            ])
    }

    @Test func `the fields are what it asks and what it is about, made safe`() throws {
        let operation = try OperationTests.operation([
            "ui": .none,
            "formData": [
                "title": "Pay", "message": "to\u{202E} whom\u{7}",
                "attributes": [
                    [
                        "type": "AMOUNT", "id": "1", "label": "Amount", "amount": 10,
                        "currency": "CZK",
                    ],
                    [
                        "type": "AMOUNT_CONVERSION", "id": "2", "label": "Rate", "dynamic": false,
                        "sourceValueFormatted": "1 €", "targetValueFormatted": "25 Kč",
                    ],
                    ["type": "KEY_VALUE", "id": "3", "label": "Key", "value": "Value"],
                    ["type": "HEADING", "id": "4", "label": "Heading"],
                    [
                        "type": "ALERT", "id": "5", "label": "Alert", "alertType": "ERROR",
                        "title": "Careful", "message": "Danger",
                    ],
                    [
                        "type": "PARTY_INFO", "id": "6", "label": "Shop",
                        "partyInfo": ["name": "Acme", "description": "Anvils"],
                    ],
                    ["type": "IMAGE", "id": "7", "label": "Picture", "thumbnailUrl": "https://t"],
                    ["type": "NEW", "id": "8", "label": "New"], 5,
                ],
            ],
        ])
        #expect(
            operation.fields == [
                .init("Pay", "to whom"), .init("Amount", "10 CZK"), .init("Rate", "1 € → 25 Kč"),
                .init("Key", "Value"), .init("Heading", ""), .init("Alert", "Careful\nDanger"),
                .init("Shop", "Acme\nAnvils"), .init("Picture", "https://t"), .init("New", ""),
            ])
        #expect(operation.fields.first?.value == "to whom")
    }
}
