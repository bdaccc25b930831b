import PushTesting

typealias Keypad = TypingUser

extension TypingUser {
    /// A user with a PIN in mind.
    init(pin: String = WorkedExample.pin, prefersBiometry: Bool = false) {
        self.init([pin], prefersBiometry: prefersBiometry)
    }
}
