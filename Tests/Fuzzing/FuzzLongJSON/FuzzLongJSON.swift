import PushAuthFuzzing
import PushCore

/// Feeds the strict reader a megabyte that repeats what the fuzzer found: time that grew faster than
/// the input would end in libFuzzer's time-out.
@main
enum FuzzLongJSON {
    static func main() {
        fuzz { bytes in
            guard let text = grown(bytes, to: 1 << 20) else { return }
            let limits = JSON.Limits(bytes: .max)
            let value = text.withUnsafeBytes { try? JSON(parsing: $0, limits: limits) }
            guard let value else { return }
            let written = value.utf8
            let again = written.withUnsafeBytes { try? JSON(parsing: $0, limits: limits) }
            expect(again?.utf8 == written, "it reads what it wrote")
            for element in value.array?.prefix(16) ?? [value] {
                expect(element.string != "\u{316}\u{315}", "a string is compared in time")
            }
            guard var object = value.object else { return }
            for member in object.members {
                expect(object[member.name] != nil, "a member is found by its name")
            }
            for member in object.members { object[member.name] = nil }
            expect(object.isEmpty, "all members can be removed")
        }
    }
}
