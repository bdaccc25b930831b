import ExternalTool
import Foundation
import PushCore
import Testing

/// An independent reader agrees on plain valid JSON, and on plainly invalid JSON.
struct JSONAgreementTests {
    private static let corpus = [
        "null", "[1,2,3]", #"{"a":{"b":[true,false,null]}}"#, "-12.5e-3", #""\u20ac\ud83d\ude00""#,
        "\"é😀\"", "  [ ]  ", "1E5", "9223372036854775807", "0", #""\/""#,
        "", "[", "[1,]", "{\"a\":1,}", "'a'", "{a:1}", "01", "1.", ".5", "+1", "-", "1e", "[1 2]",
        "\"\u{1}\"", #""\x""#, "nul", "// c\n1", "1 2", #"{"a" 1}"#, #""\u12""#, "tru",
    ]

    @Test(.enabled(if: ExternalTool.hasPython)) func `Python's reader agrees on a corpus`() throws {
        let script = """
            import json, sys
            out = []
            for text in json.load(sys.stdin):
                try:
                    json.loads(text)
                    out.append(True)
                except ValueError:
                    out.append(False)
            json.dump(out, sys.stdout)
            """
        let output = ExternalTool.python.run(
            ["-c", script], input: JSON.array(Self.corpus.map(JSON.string)).data)
        let reply = try JSON(parsing: try #require(output))
        #expect(reply.array?.count == Self.corpus.count)
        for (text, verdict) in zip(Self.corpus, reply.array ?? []) {
            #expect(((try? JSON(parsing: text)) != nil) == verdict.bool, "\(text)")
        }
    }
}
