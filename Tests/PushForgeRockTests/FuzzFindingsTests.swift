import PushCore
import PushForgeRock
import Testing

/// What fuzzing has found; the inputs are in `Tests/Fuzzing/Corpus`, too.
struct FuzzFindingsTests {
    @Test(arguments: [("s", "="), ("s", "=="), ("s", "%3D"), ("c", "="), ("c", "==")])
    func `an enrollment code whose secret or challenge is padding alone is refused`(
        name: String, value: String
    ) throws {
        var values = ["s": "AA", "c": "AA", "m": "1", "r": "aHR0cHM6Ly9hLw", "a": "aHR0cHM6Ly9hLw"]
        #expect(try EnrollmentURI(Self.uri(values)) != nil)
        values[name] = value
        let error = #expect(throws: PushError.self) { try EnrollmentURI(Self.uri(values)) }
        #expect(error?.code == .invalidInvitation)
        #expect(error?.reason.contains("\"\(name)\"") == true)
    }

    private static func uri(_ values: [String: String]) -> String {
        let query = values.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        return "pushauth://push/a:b?" + query.joined(separator: "&")
    }
}
