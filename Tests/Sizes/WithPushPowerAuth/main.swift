import PushCore
import PushPowerAuth
import Receiving

try await receive {
    let configuration = try PowerAuthConfiguration(
        sdkConfiguration: "", enrollmentServer: Endpoint("https://auth.example.com"))
    return [PowerAuth(configuration: configuration, in: $0)]
}
