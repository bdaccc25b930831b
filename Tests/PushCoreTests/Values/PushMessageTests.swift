import Foundation
import PushCore
import Testing

struct PushMessageTests {
    @Test func `a payload is one strict JSON object`() throws {
        let message = try PushMessage(json: Data(#"{"aps":{"alert":"x"},"acme":1}"#.utf8))
        #expect(message["acme"] == 1)
        #expect(message["aps"]?["alert"]?.string == "x")
        #expect(message["missing"] == nil)
        #expect(message.channel == .push)
        for text in ["[]", "\"x\"", "1", "null", "{\"a\":1,\"a\":1}", "{", ""] {
            #expect(code { try PushMessage(json: Data(text.utf8)) } == .malformed)
            #expect(code { try PushMessage(json: text) } == .malformed)
        }
        #expect(
            code { try PushMessage(json: Data("{\"a\":1}".utf8), limits: .init(bytes: 3)) }
                == .malformed)
    }

    @Test func `the data of a Firebase message becomes an object of strings`() {
        let message = PushMessage(fcm: ["acme": "{\"a\":1}", "n": "1"])
        #expect(message.content == ["acme": "{\"a\":1}", "n": "1"])
    }

    @Test func `a scanned text is a string and says how it came`() {
        let message = PushMessage(text: "acme:1", by: .scanned)
        #expect(message.content == "acme:1")
        #expect(message.channel == .scanned)
        #expect(message["acme"] == nil)
    }

    @Test func `userInfo becomes JSON`() throws {
        let info: [AnyHashable: Any] = [
            "s": "x", "t": true, "f": false, "one": 1, "zero": 0, "big": Int64.max, "d": 0.5,
            "a": [1, "two", [true]] as [Any], "o": ["i": ["j": 1]] as [AnyHashable: Any],
        ]
        let message = try PushMessage(userInfo: info)
        #expect(
            message.content == [
                "s": "x", "t": true, "f": false, "one": 1, "zero": 0,
                "big": .number(.init(Int64.max)),
                "d": .number(JSON.Number(0.5) ?? .init(0)), "a": [1, "two", [true]],
                "o": ["i": ["j": 1]],
            ])
        #expect(message.channel == .push)
    }

    @Test func `userInfo that holds what JSON can't is refused`() {
        let foreign: [[AnyHashable: Any]] = [
            ["d": Date()], ["x": Data()], ["n": Double.nan], ["i": Double.infinity],
            ["o": Optional<Int>.none as Any], [1: "x"], ["a": [Date()]], ["o": [2: 1]],
        ]
        for info in foreign {
            #expect(code { try PushMessage(userInfo: info) } == .malformed)
        }
    }

    @Test func `userInfo nests as deeply as the strict reader allows`() throws {
        func nested(_ depth: Int) -> [AnyHashable: Any] {
            depth == 1 ? ["a": 1] : ["a": nested(depth - 1)]
        }
        func arrays(_ depth: Int) -> Any { depth == 0 ? 1 : [arrays(depth - 1)] }
        let deep = try PushMessage(userInfo: nested(32))
        #expect(try JSON(parsing: deep.content.data) == deep.content)
        _ = try PushMessage(userInfo: ["a": arrays(31)])
        #expect(code { try PushMessage(userInfo: nested(33)) } == .malformed)
        #expect(code { try PushMessage(userInfo: ["a": arrays(32)]) } == .malformed)
    }
}
