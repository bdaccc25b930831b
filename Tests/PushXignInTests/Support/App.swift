import Foundation
import PushCore
import PushTesting
import PushXignIn
import Testing

/// The SDK as an app on a device runs it: one provider behind one authenticator. Every test of this
/// target that needs a device makes it by this.
struct App: ProviderHarness {
    let environment: PushEnvironment
    let provider: XignIn
    let authenticator: PushAuthenticator

    /// What can be different about an app and its device.
    struct Choices {
        var configuration = Phone.quick
        var platform = Device.Platform.other
        var bursts = BurstPolicy.off
        var seed: UInt64 = 1
        var observer: any PushObserver = SilentObserver()
    }

    init(
        over transport: any Transport, store: any CredentialStore = Hoard(),
        user: any UserVerifier = Keypad(), clock: any PushClock, _ choices: Choices = Choices()
    ) throws {
        environment = PushEnvironment(
            transport: transport, store: store, verifier: user, clock: clock,
            random: SeededRandom(seed: choices.seed),
            device: Device(name: "test phone", platform: choices.platform),
            observer: choices.observer)
        provider = XignIn(configuration: choices.configuration, in: environment)
        var policies = PushConfiguration()
        policies.instance = "phone"
        policies.bursts = choices.bursts
        // Nothing is tried in the background, so that a test sees each call where it makes it.
        policies.backoff.tries = 0
        authenticator = PushAuthenticator(
            try PluginRegistry([provider]), in: environment, configuration: policies)
    }

    var push: XignPush { XignPush(authenticator, provider: provider) }
    var personalizer: Personalizer { Personalizer(authenticator, provider: provider) }
    var door: XignAuthenticator { XignAuthenticator(authenticator, provider: provider) }
}
