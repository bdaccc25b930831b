// Not compiled on Linux, where the project's checks run: SwiftUI is Apple's.
#if os(iOS)
import PushCore
import SwiftUI

// snippet: screen
/// One challenge, with all that it shows, and a button for each answer.
struct ApprovalScreen: View {
    let authenticator: PushAuthenticator
    let challenge: Challenge
    let question: ApprovalQuestion
    /// Called once the answer is on record, and the screen may go.
    let done: () -> Void

    @State private var entry = ""
    @State private var message: String?
    @State private var isSending = false

    var body: some View {
        Form {
            if question.isSuspicious {
                Section { Text("Many requests came. Did you start this one?") }
            }
            Section {
                ForEach(Array(question.fields.enumerated()), id: \.offset) { _, field in
                    LabeledContent(field.label, value: field.value)
                }
            }
            Section { answers }
            Section {
                // No is never hidden behind anything.
                Button("I don't want this") { send(.deny(.unexpected)) }
                Button("This wasn't me", role: .destructive) { send(.deny(.fraud)) }
            }
            if let message { Section { Text(message) } }
        }
        .disabled(isSending)
    }

    @ViewBuilder private var answers: some View {
        switch question.control {
        case .approve:
            Button("Approve") { send(.approve) }
        case .choose(let options):
            Text("Which one does the other screen show?")
            ForEach(options, id: \.self) { option in
                Button(option) { send(.choose(option)) }
            }
        case .enter(let digits):
            TextField("The \(digits) digits on the other screen", text: $entry)
                .keyboardType(.numberPad)
            Button("Approve") {
                if let answer = question.answer(entering: entry) { send(answer) }
            }
            .disabled(question.answer(entering: entry) == nil)
        case .none:
            Text("This app can't approve this request. You can deny it.")
        }
    }

    private func send(_ resolution: Resolution) {
        isSending = true
        Task {
            defer { isSending = false }
            do throws(PushError) {
                let outcome = try await authenticator.resolve(challenge, with: resolution)
                message = words(for: outcome)
                if !outcome.asksAgain { done() }
            } catch {
                // The reason is for developers: the app has words of its own for each code.
                message = "That didn't work."
            }
        }
    }
}
// end snippet
#endif
