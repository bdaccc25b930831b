import Foundation
import PushCore
import PushForgeRock
import PushOneSpan
import PushOneSpanReference
import PushPlusAuth
import PushPowerAuth
import PushPrivacyIDEA
import PushXignIn
import PushXignInReference

/// The providers that a configuration makes.
struct LinkedProviders {
    let configuration: Configuration

    /// The vendors that this program links, in the order in which they are asked.
    static let names = [
        "forgerock", "plusauth", "xignin", "onespan", "powerauth", "privacyidea",
    ]

    func make(in environment: Environment) throws(Failure) -> [any PushProvider] {
        let sections = configuration.providers
        var providers: [any PushProvider] = []
        if sections.forgerock?.enabled ?? true {
            var configuration = ForgeRock.Configuration()
            configuration.allowsLocalHosts = sections.forgerock?.localHosts ?? false
            providers.append(ForgeRock(configuration: configuration, in: environment))
        }
        if sections.plusauth?.enabled ?? true {
            var configuration = PlusAuth.Configuration()
            configuration.allowsLocalHosts = sections.plusauth?.localHosts ?? false
            providers.append(PlusAuth(configuration: configuration, in: environment))
        }
        if sections.xignin?.enabled ?? true {
            var configuration = XignIn.Configuration(wireFormat: OpenReferenceWireFormat())
            configuration.allowsLocalHosts = sections.xignin?.localHosts ?? false
            providers.append(XignIn(configuration: configuration, in: environment))
        }
        if let section = sections.onespan, section.enabled ?? true {
            providers.append(try oneSpan(section, in: environment))
        }
        if let section = sections.powerauth, section.enabled ?? true {
            providers.append(try powerAuth(section, in: environment))
        }
        if sections.privacyidea?.enabled ?? true {
            providers.append(try privacyIDEA(sections.privacyidea, in: environment))
        }
        return providers
    }

    private func oneSpan(
        _ section: Configuration.OneSpanSection, in environment: Environment
    ) throws(Failure) -> OneSpan {
        do throws(PushError) {
            var keys: [Data] = []
            for text in section.serverKeys {
                guard let key = Data(base64Encoded: text) else {
                    throw PushError(.invalidArgument, "A server key isn't base64.")
                }
                keys.append(key)
            }
            let engine = OpenReferenceEngine(
                try .init(domain: section.domain, serverKeys: keys), in: environment)
            return OneSpan(
                engine: engine,
                relay: HTTPCommandRelay(try Endpoint(section.relay), in: environment),
                configuration: OneSpan.Configuration(
                    identifiers: OpenNotificationIdentifiers(), domain: section.domain),
                in: environment)
        } catch {
            throw Failure(.store, "[providers.onespan] can't be used: \(error.reason)")
        }
    }

    private func powerAuth(
        _ section: Configuration.PowerAuthSection, in environment: Environment
    ) throws(Failure) -> PowerAuth {
        do throws(PushError) {
            return PowerAuth(
                configuration: try PowerAuthConfiguration(
                    sdkConfiguration: section.sdkConfiguration,
                    enrollmentServer: try Endpoint(section.server)), in: environment)
        } catch {
            throw Failure(.store, "[providers.powerauth] can't be used: \(error.reason)")
        }
    }

    private func privacyIDEA(
        _ section: Configuration.PrivacyIDEASection?, in environment: Environment
    ) throws(Failure) -> PrivacyIDEA {
        var choices = PrivacyIDEA.Configuration()
        choices.allowsLocalHosts = section?.localHosts ?? false
        choices.allowsPlainHTTP = configuration.server.plainHTTP ?? false
        choices.usesAPNsTokens = section?.apnsTokens ?? false
        if let bits = section?.keyBits {
            guard let size = PrivacyIDEA.KeySize(rawValue: bits) else {
                let sizes = PrivacyIDEA.KeySize.allCases.map { "\($0.rawValue)" }
                throw Failure(
                    .store,
                    "[providers.privacyidea] can't be used: key-bits is one of "
                        + sizes.joined(separator: ", ") + ".")
            }
            choices.keySize = size
        }
        return PrivacyIDEA(configuration: choices, in: environment)
    }
}
