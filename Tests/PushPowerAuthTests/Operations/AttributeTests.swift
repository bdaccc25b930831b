import PushCore
import Testing

@testable import PushPowerAuth

/// A number with a fraction.
private func number(_ value: Double) -> JSON { JSON.Number(value).map(JSON.number) ?? .null }

@Suite struct AttributeTests {
    private func attributes(_ list: JSON) throws -> [PowerAuthAttribute] {
        try OperationTests.operation([
            "formData": ["title": "T", "message": "M", "attributes": list]
        ]).formData.attributes
    }

    private func content(_ members: JSON.Object) throws -> PowerAuthAttribute.Content? {
        var members = members
        members["id"] = "a.b"
        members["label"] = "Label"
        let read = try attributes([.object(members)]).first
        if let read {
            #expect(read.id == "a.b")
            #expect(read.label == "Label")
        }
        return read?.content
    }

    @Test func `an amount is read, raw and formatted`() throws {
        let read = try content([
            "type": "AMOUNT", "amount": number(100.5), "currency": "CZK",
            "amountFormatted": "100,50",
            "currencyFormatted": "Kč", "valueFormatted": "100,50 Kč",
        ])
        guard case .amount(let money)? = read else {
            Issue.record("It is an amount.")
            return
        }
        #expect(money.amount == "100.5")
        #expect(money.currency == "CZK")
        #expect(money.amountFormatted == "100,50")
        #expect(money.currencyFormatted == "Kč")
        #expect(money.valueFormatted == "100,50 Kč")
        #expect(money.shown == "100.5 CZK (100,50 Kč)")
    }

    @Test(
        arguments: [
            (["amount": 100, "currency": "CZK"], "100 CZK"),
            (["amount": "0.10", "currency": "EUR"], "0.10 EUR"),
            (["amountFormatted": "1 000", "currencyFormatted": "Kč"], "1 000 Kč"),
            (
                ["amount": 1000, "currency": "CZK", "amountFormatted": "1 000"],
                "1000 CZK (1 000 CZK)"
            ),
            // A text of the server's choice never stands for the amount.
            (
                ["amount": 1000, "currency": "CZK", "valueFormatted": "1 CZK"],
                "1000 CZK (1 CZK)"
            ),
            (["amount": 1000, "valueFormatted": "1 Kč"], "1000 (1 Kč)"),
            (["amount": 1000, "currencyFormatted": "Kč"], "1000 Kč"),
            (["amount": 1, "currency": "CZK", "valueFormatted": "1 CZK"], "1 CZK"),
            (["valueFormatted": "1 000 Kč"], "1 000 Kč"),
        ] as [(JSON.Object, String)])
    func `raw or formatted parts may be missing`(_ parts: JSON.Object, _ shown: String) throws {
        var members = parts
        members["type"] = "AMOUNT"
        guard case .amount(let money)? = try content(members) else {
            Issue.record("It is an amount.")
            return
        }
        #expect(money.shown == shown)
    }

    @Test(
        arguments: [
            [:], ["amount": 100], ["currency": "CZK"], ["amount": true, "currency": "CZK"],
            ["amount": number(12345678901234567.5), "currency": "CZK"],
            ["amountFormatted": "1", "valueFormatted": 1],
            // Too many digits for a JSON number: nobody can tell the amount behind the text.
            [
                "amount": number(12345678901234567.5), "currency": "CZK", "amountFormatted": "lots",
            ],
            // Each of these shows an amount, and hides another part.
            ["amount": true, "currency": "CZK", "valueFormatted": "1 CZK"],
            ["amount": "1,5", "currency": "CZK", "valueFormatted": "1 CZK"],
            ["amount": 1, "currency": 5, "valueFormatted": "1 CZK"],
            ["amount": 1, "currency": "CZK", "amountFormatted": ["1"]],
        ] as [JSON.Object])
    func `an amount that tells no amount can't be read`(_ parts: JSON.Object) throws {
        var members = parts
        members["type"] = "AMOUNT"
        #expect(try content(members) == .unreadable(type: "AMOUNT"))
    }

    @Test func `a conversion has two amounts`() throws {
        let both: JSON.Object = [
            "type": "AMOUNT_CONVERSION", "dynamic": true, "sourceAmount": number(1.26),
            "sourceCurrency": "ETC", "sourceAmountFormatted": "1.26",
            "sourceCurrencyFormatted": "ETC", "sourceValueFormatted": "1.26 ETC",
            "targetAmount": number(1710.98), "targetCurrency": "USD",
            "targetAmountFormatted": "1,710.98",
            "targetCurrencyFormatted": "$", "targetValueFormatted": "$1,710.98",
        ]
        guard case .amountConversion(let source, let target, let dynamic)? = try content(both)
        else {
            Issue.record("It is a conversion.")
            return
        }
        #expect(dynamic)
        #expect(source.amount == "1.26")
        #expect(source.currency == "ETC")
        #expect(source.valueFormatted == "1.26 ETC")
        #expect(target.amount == "1710.98")
        #expect(target.amountFormatted == "1,710.98")
        #expect(target.currencyFormatted == "$")
        #expect(source.shown == "1.26 ETC")
        #expect(target.shown == "1710.98 USD ($1,710.98)")
        for name in ["dynamic", "sourceAmount", "targetValueFormatted"] {
            var less = both
            for member in less.members.map(\.name) where member.hasPrefix(name.prefix(6)) {
                less[member] = nil
            }
            #expect(
                try content(less) == .unreadable(type: "AMOUNT_CONVERSION"), "\(name)")
        }
    }

    @Test(arguments: [
        (#"{"type": "KEY_VALUE", "value": "V"}"#, PowerAuthAttribute.Content.keyValue("V")),
        (#"{"type": "NOTE", "note": "N"}"#, .note("N")),
        (#"{"type": "HEADING"}"#, .heading(level: nil)),
        (#"{"type": "HEADING", "level": 2}"#, .heading(level: 2)),
        (#"{"type": "NEW_TYPE", "value": 5}"#, .unknown(type: "NEW_TYPE")),
        (#"{"type": "key_value", "value": "V"}"#, .unknown(type: "key_value")),
    ])
    func `each type is read`(_ members: String, _ expected: PowerAuthAttribute.Content) throws {
        let object = try #require(try JSON(parsing: members).object)
        #expect(try content(object) == expected)
    }

    @Test(arguments: ["SUCCESS", "INFO", "WARNING", "ERROR", "NEW"])
    func `an alert keeps its kind`(_ kind: String) throws {
        let members: JSON.Object = [
            "type": "ALERT", "alertType": .string(kind), "title": "T", "message": "M",
        ]
        guard case .alert(let alert)? = try content(members) else {
            Issue.record("It is an alert.")
            return
        }
        let kinds: [String: PowerAuthAttribute.Alert.Kind] = [
            "SUCCESS": .success, "INFO": .info, "WARNING": .warning, "ERROR": .error,
        ]
        #expect(alert.alertType == kinds[kind] ?? .unknown(kind))
        #expect(alert.title == "T")
        #expect(alert.message == "M")
    }

    @Test func `a party and a picture are read`() throws {
        let party: JSON.Object = [
            "type": "PARTY_INFO",
            "partyInfo": [
                "logoUrl": "https://l", "name": "Shop", "description": "D",
                "websiteUrl": "https://w",
            ],
        ]
        guard case .partyInfo(let info)? = try content(party) else {
            Issue.record("It is a party.")
            return
        }
        #expect(
            [info.logoUrl, info.name, info.description, info.websiteUrl] == [
                "https://l", "Shop", "D", "https://w",
            ])
        let image: JSON.Object = [
            "type": "IMAGE", "thumbnailUrl": "https://t", "originalUrl": "https://o",
        ]
        guard case .image(let picture)? = try content(image) else {
            Issue.record("It is a picture.")
            return
        }
        #expect(picture.thumbnailUrl == "https://t")
        #expect(picture.originalUrl == "https://o")
    }

    @Test func `one that can't be read is kept as that, in its place`() throws {
        let good: JSON = ["type": "NOTE", "id": "1", "label": "L", "note": "N"]
        let bad: [JSON] = [
            5, [:], ["type": "NOTE", "id": "1", "label": "L"],
            ["type": "KEY_VALUE", "id": "1", "label": "L", "value": 5],
            ["id": "1", "label": "L", "note": "N"], ["type": "ALERT", "id": "1", "label": "L"],
            [
                "type": "ALERT", "id": "1", "label": "L", "alertType": "INFO", "title": 5,
                "message": "M",
            ],
            ["type": "PARTY_INFO", "id": "1", "label": "L", "partyInfo": [:]],
            [
                "type": "PARTY_INFO", "id": "1", "label": "L",
                "partyInfo": ["name": "N", "description": ["D"]],
            ],
            ["type": "IMAGE", "id": "1", "label": "L"],
        ]
        let read = try attributes(.array([good] + bad + [good]))
        #expect(read.map { $0.defect == nil } == [true] + bad.map { _ in false } + [true])
        for (attribute, json) in zip(read.dropFirst(), bad) {
            #expect(attribute.content == .unreadable(type: json["type"]?.string))
            #expect(attribute.label == json["label"]?.string ?? "")
        }
        // What stands in a list's place is no list of nothing.
        for other in ["none", [:], 5] as [JSON] {
            #expect(try attributes(other).map(\.content) == [.unreadable(type: nil)])
        }
        #expect(try attributes([]).isEmpty)
    }

    @Test func `one without a label or a name is shown as far as it goes`() throws {
        let read = try attributes([
            ["type": "NOTE", "id": "1", "note": "N"], ["type": "NOTE", "label": "L", "note": "N"],
            ["type": "NOTE", "id": "1", "label": 5, "note": "N"],
        ])
        #expect(read.map(\.content) == [.note("N"), .note("N"), .note("N")])
        #expect(read.map(\.label) == ["", "L", ""])
        #expect(read.allSatisfy { $0.defect != nil })
    }
}
