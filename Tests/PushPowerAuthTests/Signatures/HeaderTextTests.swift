import PushCore
import PushTesting
import Testing

@testable import PushPowerAuth

@Suite struct HeaderTextTests {
    @Test func `pairs are written in their order`() throws {
        #expect(
            try HeaderText.write([("b", "1="), ("a", "")]) == #"PowerAuth b="1=", a="""#)
        #expect(try HeaderText.write([]) == "PowerAuth")
    }

    @Test func `what is written can be read`() throws {
        let pairs = [
            ("pa_nonce", "AAECAwQFBgcICQoLDA0ODw=="), ("version", "3.3"), ("x", "a,b=c+/"),
        ]
        let read = try HeaderText.parse(HeaderText.write(pairs))
        #expect(read == Dictionary(uniqueKeysWithValues: pairs))
    }

    @Test(arguments: [
        "a\"", "\"", "a\\", "a b", "a\r\nX: y", "a\n", "\u{0}", "\u{7F}", "é", "a\u{301}",
    ])
    func `a value that would end its quotes or the header is refused`(value: String) {
        #expect(
            Sample.refusal { _ = try HeaderText.write([("a", "1"), ("b", value)]) }
                == .invalidArgument)
    }

    @Test(arguments: [
        #"PowerAuth a="1", b="2=""#, #"PowerAuth  a="1",b="2=""#, #"PowerAuth a="1"  ,  b="2=" "#,
        "PowerAuth\ta=\"1\",\tb=\"2=\"", #"PowerAuth b="2=", a="1""#,
    ])
    func `blanks around pairs and their order don't matter`(text: String) throws {
        #expect(try HeaderText.parse(text) == ["a": "1", "b": "2="])
    }

    @Test func `an empty value is a value`() throws {
        #expect(try HeaderText.parse(#"PowerAuth a="""#) == ["a": ""])
    }

    @Test(arguments: [
        "", "PowerAuth", "PowerAuth ", #"a="1""#, #"Bearer a="1""#, #"powerauth a="1""#,
        #"PowerAutha="1""#, #"PowerAuth a=1"#, #"PowerAuth a="1"#, #"PowerAuth a="1" b="2""#,
        #"PowerAuth a="1","#, #"PowerAuth a="1",,b="2""#, #"PowerAuth ="1""#, #"PowerAuth a"#,
        #"PowerAuth a="1", a="2""#, #"PowerAuth a="1", a="1""#, #"PowerAuth a="1"x"#,
        #"PowerAuth a ="1""#, #"PowerAuth a= "1""#, #"PowerAuth a="1 2""#, "PowerAuth a=\"1\r\n\"",
        "PowerAuth a=\"\u{E9}\"", #"PowerAuth a"b="1""#,
    ])
    func `any other form is refused`(text: String) {
        #expect(Sample.refusal { _ = try HeaderText.parse(text) } == .malformed)
    }

    @Test func `no damage to a header does worse than being refused or read`() throws {
        let random = SeededRandom(seed: 9)
        let whole = Array(#"PowerAuth pa_version="3.3", pa_nonce="AAECAwQFBgcICQoLDA0ODw==""#.utf8)
        for _ in 0..<2000 {
            var changed = whole.prefix(Int(random.next() % UInt64(whole.count + 1)))
            for _ in 0..<random.next() % 4 where !changed.isEmpty {
                let place = Int(random.next() % UInt64(changed.count))
                changed[place] = whole[Int(random.next() % UInt64(whole.count))]
            }
            let text = String(decoding: changed, as: UTF8.self)
            let code = Sample.refusal {
                let values = try HeaderText.parse(text)
                #expect(!values.isEmpty)
            }
            #expect(code == nil || code == .malformed)
        }
    }
}
