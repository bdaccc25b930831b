import PushCore
import Testing

@testable import PushOneSpan
@testable import PushOneSpanReference

struct OOCActivationPasswordTests {
    private func problem(_ text: String) -> ActivationInputProblem? {
        do throws(OrchestrationError) {
            _ = try ActivationPassword(OOC.secret(text))
        } catch {
            if case .input(let problem) = error.oneSpan { return problem }
        }
        return nil
    }

    @Test(arguments: ["K7M2Q9XD", "k7m2q9xd", "K7M2-Q9XD", " k7m2 q9xd\n", "K-7-M-2-Q-9-X-D"])
    func `case, blanks and hyphens don't matter`(typed: String) throws {
        let password = try ActivationPassword(OOC.secret(typed))
        #expect(password.characters.plain == Array("K7M2Q9XD".utf8))
    }

    @Test func `every single wrong character is caught`() {
        let genuine = Array("K7M2Q9XD")
        for index in genuine.indices {
            for character in "23456789ABCDEFGHJKLMNPQRSTUVWXYZ" where character != genuine[index] {
                var wrong = genuine
                wrong[index] = character
                #expect(problem(String(wrong)) == .activationPasswordWrongChecksum)
            }
        }
    }

    @Test(arguments: ["K7M2Q9X0", "K7M2Q9XO", "17M2Q9XD", "K7M2Q9X\u{0}"])
    func `a character that no password has is a typing error`(typed: String) {
        #expect(problem(typed) == .activationPasswordWrongChecksum)
    }

    @Test func `what is missing or too much is said`() {
        #expect(problem("") == .activationPasswordNullOrEmpty)
        #expect(problem(" - ") == .activationPasswordNullOrEmpty)
        #expect(problem("K7M2Q9X") == .activationPasswordWrongLength)
        #expect(problem("K7M2Q9XDD") == .activationPasswordWrongLength)
    }
}
