import PushCore
import PushForgeRock
import PushPlatform

func ask(_ question: String) -> Resolution {
    print(question, "[y, n, or the number that the other screen shows]")
    let said = readLine() ?? "n"
    return said == "y" ? .approve : said == "n" ? .deny(.unexpected) : .choose(said)
}
func joins(_ offer: Invitation.Offer) -> Bool { ask("Join \(offer.shown)?") == .approve }
struct Owner: UserVerifier {
    let proofs = [Evidence.presence, .biometry(nil)]
    func verify(_: VerificationRequest) -> [Evidence] { ask("It's you?") == .approve ? proofs : [] }
}

let phone = try await PushAuthenticator(
    in: .files(in: "phone", device: Device(name: "Phone"), user: Owner())
) { [ForgeRock(configuration: .init(allowsLocalHosts: true), in: $0)] }
try await phone.deviceTokenChanged(.fcm(readLine() ?? ""))
try await phone.resume()
while let line = readLine() {
    do {
        if !line.hasPrefix("{") { try await phone.enroll(.scanned(text: line), if: joins) }
        let new = line.hasPrefix("{") ? try await phone.challenges(in: PushMessage(json: line)) : []
        for login in new { print(try await phone.resolve(login, with: ask("\(login.shown)"))) }
    } catch { print(error) }
}
