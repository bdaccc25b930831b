import PushCore
import Testing

@testable import PushAuthCommand

struct `what a run has made of the challenges` {
    private static let enrollment = Enrollment.ID("phone", of: "acme")

    private func id(_ number: Int) -> Challenge.ID {
        Challenge.ID("\(number)", of: Self.enrollment)
    }

    @Test func `is kept while something is to be told, and of the rest the newest thousand`() {
        var courses = Courses()
        courses[id(0)] = .waits
        courses[id(1)] = .waits
        courses[id(1)] = .told
        for number in 2...1001 {
            courses[id(number)] = .judged
            // Its end comes later, and counts once.
            courses[id(number)] = .told
        }
        #expect(courses.waiting == [id(0)])
        #expect(courses[id(1)] == nil)
        #expect((2...1001).allSatisfy { courses[id($0)] == .told })
    }
}
