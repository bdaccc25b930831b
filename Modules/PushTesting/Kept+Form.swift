package import PushCore

extension Kept {
    /// What a test's vendor keeps of its answers.
    package init(_ form: Form, part: @autoclosure () -> Secret) {
        self =
            switch form {
            case .whole: .whole
            case .wholeOnceOpen: .wholeOnceOpen
            case .part: .part(part())
            case .nothing: .nothing
            }
    }
}
