import Foundation
import PushCore
import Testing

/// An object that was read makes its members when they are asked for; nobody can tell.
struct JSONReadObjectTests {
    private static let texts = [
        #"{}"#, #"{"a":1}"#, #"{"a":{"b":[{"c":"d"},2]},"e":"\u0066\n"}"#,
        #"{"\u0061":1,"b":2}"#, #"{"é":1,"e":{"é":null}}"#,
        "{" + (0..<40).map { #""n\#($0)":{"v":\#($0)}"# }.joined(separator: ",") + "}",
        "{" + (0..<17).map { #""n\#($0)":\#($0)"# }.joined(separator: ",") + "}",
    ]

    /// The same object, made member by member.
    private func made(_ json: JSON) -> JSON {
        switch json {
        case .object(let object): .object(.init(object.members.map { ($0.name, made($0.value)) }))
        case .array(let elements): .array(elements.map(made))
        default: json
        }
    }

    @Test(arguments: texts)
    func `an object that was read equals one that was made`(text: String) throws {
        let read = try JSON(parsing: text)
        let made = made(read)
        #expect(read == made)
        #expect(made == read)
        #expect(read.hashValue == made.hashValue)
        #expect(read.text == made.text)
        #expect(read.object?.count == made.object?.count)
        for member in try #require(read.object).members {
            #expect(read[member.name] == member.value)
            #expect(made[member.name] == member.value)
        }
        #expect(read["absent"] == nil)
    }

    @Test(arguments: texts)
    func `an object that was read can be changed, and its copy stays`(text: String) throws {
        let read = try #require(JSON(parsing: text).object)
        var changed = read
        changed["new"] = true
        #expect(changed.count == read.count + 1)
        #expect(changed["new"] == true)
        #expect(read["new"] == nil)
        for member in read.members { changed[member.name] = nil }
        #expect(changed == ["new": true])
        #expect(try JSON.object(read) == JSON(parsing: text))
    }

    @Test(arguments: [
        #"{"a":1,"\u0061":2}"#, #"{"\u0061":1,"a":2}"#, #"{"x":{"\u00e9":1,"é":2}}"#,
        #"[{"a":0,"b":0,"\u0062":0}]"#, #"{"\u212a":1,"K":2}"#, #"{"K":1,"\u212a":2}"#,
    ])
    func `a name is given twice in whatever spelling`(text: String) {
        let error = #expect(throws: PushError.self) { try JSON(parsing: text) }
        #expect((error?.underlying as? JSON.Failure)?.kind == .duplicateName)
    }

    @Test func `a name with escapes is found by what it stands for`() throws {
        let json = try JSON(parsing: #"{"\u0061\/b":1,"c\ud83d\ude00":{"\"":2}}"#)
        #expect(json["a/b"] == 1)
        #expect(json[#"\u0061\/b"#] == nil)
        #expect(json["c😀"]?["\""] == 2)
    }
}
