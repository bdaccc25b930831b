import Testing

@testable import PushCore

/// What one question is about, however many messages lead to it.
struct QuestionsTests {
    private let key = Questions.Key(enrollment: .ada, topic: .challenges)

    private func hint(_ context: String?) -> PushEvent.Hint {
        PushEvent.Hint(.challenges, at: [.ada], context: context.map { secret($0) })
    }

    @Test func `messages with equal contents are one`() {
        var questions = Questions()
        for context in ["a", nil, "a", "b", nil, "b"] {
            _ = questions.add(hint(context), to: key, draw: 0)
        }
        let hints = questions.begin(key, at: .zero)
        #expect(hints.count == 3)
    }

    @Test func `of a flood a few stay, and which is drawn`() {
        var questions = Questions()
        for index in 1...4 {
            let hasGivenWay = questions.add(hint("\(index)"), to: key, draw: 0.999)
            #expect(!hasGivenWay)
        }
        // The newest gives way, then the oldest.
        let first = questions.add(hint("5"), to: key, draw: 0.999)
        let second = questions.add(hint("6"), to: key, draw: 0)
        #expect(first && second)
        let contexts = questions.begin(key, at: .zero).compactMap(\.context)
        #expect(
            contexts.map { $0.copiedText() }
                == ["2", "3", "4", "6"])
    }

    @Test func `matters that nobody asks about are forgotten`() {
        var questions = Questions()
        for index in 1...1000 {
            let key = Questions.Key(enrollment: .ada, topic: .finished("\(index)"))
            _ = questions.add(hint(nil), to: key, draw: 0)
            _ = questions.begin(key, at: .seconds(index))
            questions[key].running = nil
        }
        let remembered = (1...1000).filter { index in
            let key = Questions.Key(enrollment: .ada, topic: .finished("\(index)"))
            return questions[key].started != nil
        }
        #expect(remembered.count <= 256 && remembered.last == 1000)
    }
}
