// swift-format-ignore-file
// What only the passes over SIL find. A file of its own: they don't run where types are wrong.
final class NotSendable { var count = 0 }
func sent() async {
    let value = NotSendable()
    Task { @MainActor in value.count += 1 }  // wrong: always
    value.count += 1
}
func unset() -> Int {
    let number: Int
    return number  // wrong: always
}
