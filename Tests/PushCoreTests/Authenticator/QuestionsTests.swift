import PushTesting
import Testing

@testable import PushCore

struct QuestionsTests {
    @Test func `of messages with contents of their own equal ones are one, and few stay`() {
        let key = Questions.Key(enrollment: .ada, topic: .challenges)
        func asked(_ contents: [String?]) -> [String?] {
            var questions = Questions()
            for content in contents {
                questions.add(
                    Hint(.challenges, at: [.ada], context: content.map(secret)), to: key)
            }
            questions.wait(Questions.Answer { .success([]) }, for: key)
            return questions.begin(key, at: .zero).map { hint in
                hint.context.map { $0.withBytes { String(decoding: $0, as: UTF8.self) } }
            }
        }
        #expect(asked(["a", "a", "a", "a"]) == ["a"])
        #expect(asked(["a", nil, "b", "a", nil]) == ["b", "a", nil])
        #expect(asked(["a", "b", "c", "d", "e"]) == ["b", "c", "d", "e"])
        #expect(asked(["a", "aa"]) == ["a", "aa"])
    }
}
