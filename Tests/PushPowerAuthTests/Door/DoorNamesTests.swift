import PushCore
import Testing

@testable import PushPowerAuth

@Suite struct DoorNamesTests {
    @Test func `error codes have their documented names`() {
        #expect(
            PowerAuthErrorCode.allCases.map(\.rawValue) == [
                "INVALID_REQUEST", "INVALID_ACTIVATION", "INVALID_APPLICATION",
                "INVALID_OPERATION", "POWERAUTH_AUTH_FAIL", "OPERATION_ALREADY_FINISHED",
                "OPERATION_ALREADY_FAILED", "OPERATION_ALREADY_CANCELED", "OPERATION_EXPIRED",
                "OPERATION_REQUIRES_ACTIVATION_FLAG", "OPERATION_FAILED",
                "PUSH_REGISTRATION_FAILED", "INBOX_FAILED", "ACTIVATION_CODE_FAILED",
                "APPLICATION_CONFIGURATION_ERROR", "ERROR_NOT_FOUND",
                "REMOTE_COMMUNICATION_ERROR", "ERROR_GENERIC", "ERR_AUTHENTICATION",
                "ERR_ACTIVATION", "ERR_ENCRYPTION", "ERR_TEMPORARY_KEY", "ERR_SECURE_VAULT",
                "ERR_UPGRADE", "ERR_RECOVERY", "ERR_USER_INFO",
            ])
        #expect(
            PowerAuthErrorCode.allCases.filter(\.isAuthenticationFailure) == [
                .authenticationFailed, .authentication,
            ])
    }

    @Test(arguments: [
        (DenyReason.unexpected, "UNEXPECTED_OPERATION"), (.fraud, "UNEXPECTED_OPERATION"),
        (.ignore, "UNKNOWN"), (.custom(""), "UNKNOWN"),
        (.custom("INCORRECT_DATA"), "INCORRECT_DATA"),
        (.custom("The cat did it"), "The cat did it"),
    ])
    func `each reason for a no has a text`(_ reason: DenyReason, _ text: String) {
        #expect(PowerAuthRejectionReason(reason).text == text)
    }

    @Test(arguments: [
        PowerAuthRejectionReason.unknown, .incorrectData, .unexpectedOperation, .preapproval,
        .custom("own"),
    ])
    func `a documented reason survives the core`(_ reason: PowerAuthRejectionReason) {
        #expect(PowerAuthRejectionReason(reason.denyReason).text == reason.text)
    }
}
