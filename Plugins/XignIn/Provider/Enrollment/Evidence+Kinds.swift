import PushCore

extension [Evidence] {
    /// The PIN, if there is one.
    var pin: Secret? {
        for case .pin(let pin) in self { return pin }
        return nil
    }

    /// That biometry was checked, if it was.
    var biometry: Evidence? {
        first { if case .biometry = $0 { true } else { false } }
    }
}
