import PushCore
import PushForgeRockSimulator
import PushTesting

@main
struct FirstLogin {
    static func main() async throws {
        let server = ForgeRockSimulator()
        let phone = try makePhone(at: server)
        try await enroll(phone, at: server)

        // Somebody types jane's name at the login page, which shows a number and pushes.
        let login = try await server.startLogin(of: "jane", asking: .number)
        for push in await server.takePushes() {
            // From here on, an app does the same with each push that the system hands it.
            for challenge in try await phone.challenges(in: push.message()) {
                // The user approves what is shown, so all of it is.
                for field in challenge.shown { print("The phone shows: \(field)") }
                guard case .choose(let numbers) = challenge.prompt else { continue }
                print("The phone asks for one of \(numbers.count) numbers.")
                let outcome = try await phone.resolve(challenge, with: .choose(login.shown ?? ""))
                print("The answer is \(outcome).")
            }
        }
        print("The login page says: \(try await server.status(of: login.id)).")
    }
}
