/// Worked examples of one enrolled device: registration, push, answers and refresh.
///
/// They were computed with Python's `hmac`, `hashlib`, `base64` and `json` alone, and checked with
/// `openssl dgst -sha256 -mac HMAC`. The secrets are SHA-256 of `pushkit-forgerock-secret-0`,
/// `pushkit-forgerock-reg-2`, `pushkit-forgerock-auth-0` and, the first 20 bytes, `pushkit-oath`.
enum Example {
    static let mechanismUID = "8D7F2B64-0C1A-4E53-9B7D-2F6A1C3E5D90"
    static let secret = "J8kqWUgZYsEMbItzEJV+LpDyNdb+wfvT7kUV/ddORO4="
    static let registrationChallenge = "DtrPZhb/zgqGwoRBnvK8te+M41i3T0zo6AdD4UT+7l0="
    static let loginChallenge = "uq8gnIxeQ44hSJ2ppGQbGDA/IVr93+rKrEXfpGveyBU="
    static let registrationID = "REGISTER:3f1f0c1e-5a0b-4c67-9d0e-7b1d2a3c4e5f1760000000123"
    static let loginID = "AUTHENTICATE:c2a9e6d4-71b3-4f0e-8a55-90be1d7f46c31760000300001"
    static let url = "https://am.example.com:8443/am/json/alpha/push/sns/message?_action="

    /// The QR code of a registration.
    static let pushURI = #"""
        pushauth://push/Example%20Bank:jane.doe@example.com?l=YW1sYmNvb2tpZT0wMw&issuer=RXhh\#
        bXBsZSBCYW5r&m=REGISTER:3f1f0c1e-5a0b-4c67-9d0e-7b1d2a3c4e5f1760000000123&s=J8kqWUgZ\#
        YsEMbItzEJV-LpDyNdb-wfvT7kUV_ddORO4&c=DtrPZhb_zgqGwoRBnvK8te-M41i3T0zo6AdD4UT-7l0&r=\#
        aHR0cHM6Ly9hbS5leGFtcGxlLmNvbTo4NDQzL2FtL2pzb24vYWxwaGEvcHVzaC9zbnMvbWVzc2FnZT9fYWN0\#
        aW9uPXJlZ2lzdGVy&a=aHR0cHM6Ly9hbS5leGFtcGxlLmNvbTo4NDQzL2FtL2pzb24vYWxwaGEvcHVzaC9zb\#
        nMvbWVzc2FnZT9fYWN0aW9uPWF1dGhlbnRpY2F0ZQ&uid=amFuZQ&pid=NWQxYzNmMGEtM2IyZS00YTU1LTl\#
        hMWUtMGMyYjdmNmQ4MTkwMTc2MDAwMDAwMDAwMA&b=032b75&image=aHR0cHM6Ly9hbS5leGFtcGxlLmNvb\#
        S9sb2dvLnBuZw
        """#

    /// The answer to `registrationChallenge`.
    static let registrationResponse = #"""
        chdWJPQ/IkIfAjgRA6TQ4kpApLc3I1sQczQUf7RBs0g=
        """#

    /// What the device posts to register.
    static let registrationBody = #"""
        {"messageId":"REGISTER:3f1f0c1e-5a0b-4c67-9d0e-7b1d2a3c4e5f1760000000123","jwt":"eyJ\#
        0eXAiOiJKV1QiLCJhbGciOiJIUzI1NiJ9.eyJyZXNwb25zZSI6ImNoZFdKUFEvSWtJZkFqZ1JBNlRRNGtwQX\#
        BMYzNJMXNRY3pRVWY3UkJzMGc9IiwibWVjaGFuaXNtVWlkIjoiOEQ3RjJCNjQtMEMxQS00RTUzLTlCN0QtMk\#
        Y2QTFDM0U1RDkwIiwiZGV2aWNlSWQiOiIwMDAxMDIwMzA0MDUwNjA3MDgwOTBBMEIwQzBEMEUwRjEwMTExMj\#
        EzMTQxNTE2MTcxODE5MUExQjFDMUQxRTFGIiwiZGV2aWNlTmFtZSI6IkphbmUncyBpUGhvbmUiLCJkZXZpY2\#
        VUeXBlIjoiaW9zIiwiY29tbXVuaWNhdGlvblR5cGUiOiJhcG5zIn0.OTFHwFt1a76aqGNjFCD2Mikjq5ves9\#
        Qilc_mLOQqU74"}
        """#

    /// The registration's JWT from a JSON writer that escapes `/`.
    static let registrationJWTWithEscapedSlashes = #"""
        eyJ0eXAiOiJKV1QiLCJhbGciOiJIUzI1NiJ9.eyJyZXNwb25zZSI6ImNoZFdKUFFcL0lrSWZBamdSQTZUUTR\#
        rcEFwTGMzSTFzUWN6UVVmN1JCczBnPSIsIm1lY2hhbmlzbVVpZCI6IjhEN0YyQjY0LTBDMUEtNEU1My05Qjd\#
        ELTJGNkExQzNFNUQ5MCIsImRldmljZUlkIjoiMDAwMTAyMDMwNDA1MDYwNzA4MDkwQTBCMEMwRDBFMEYxMDE\#
        xMTIxMzE0MTUxNjE3MTgxOTFBMUIxQzFEMUUxRiIsImRldmljZU5hbWUiOiJKYW5lJ3MgaVBob25lIiwiZGV\#
        2aWNlVHlwZSI6ImlvcyIsImNvbW11bmljYXRpb25UeXBlIjoiYXBucyJ9.jn6Q0GK4ab0DnwDqa8If3GStrV\#
        Ryl9kKligID7TTY34
        """#

    /// What a push for a number challenge claims.
    static let pushClaims = #"""
        {"u":"8D7F2B64-0C1A-4E53-9B7D-2F6A1C3E5D90","l":"YW1sYmNvb2tpZT0wMw==","c":"uq8gnIxe\#
        Q44hSJ2ppGQbGDA/IVr93+rKrEXfpGveyBU=","m":"Login attempt from jane at Example Bank",\#
        "k":"challenge","i":"1760000300000","t":"120","d":"jane","p":"{ \"txn\": \"4711\" }"\#
        ,"x":"{ \"location\": { \"latitude\": 51.5, \"longitude\": -0.12 }, \"remoteIp\": \"\#
        203.0.113.7\", \"userAgent\": \"Mozilla/5.0 (X11; Linux x86_64)\" }","n":"17,42,86"}
        """#

    /// That push for APNs.
    static let apnsPayload = #"""
        {"aps":{"alert":"Login attempt from jane at Example Bank","sound":"default","categor\#
        y":"authentication_challenge","interruption-level":"time-sensitive","messageId":"AUT\#
        HENTICATE:c2a9e6d4-71b3-4f0e-8a55-90be1d7f46c31760000300001","data":"eyJ0eXAiOiJKV1Q\#
        iLCJhbGciOiJIUzI1NiJ9.eyJ1IjoiOEQ3RjJCNjQtMEMxQS00RTUzLTlCN0QtMkY2QTFDM0U1RDkwIiwibC\#
        I6IllXMXNZbU52YjJ0cFpUMHdNdz09IiwiYyI6InVxOGduSXhlUTQ0aFNKMnBwR1FiR0RBL0lWcjkzK3JLck\#
        VYZnBHdmV5QlU9IiwibSI6IkxvZ2luIGF0dGVtcHQgZnJvbSBqYW5lIGF0IEV4YW1wbGUgQmFuayIsImsiOi\#
        JjaGFsbGVuZ2UiLCJpIjoiMTc2MDAwMDMwMDAwMCIsInQiOiIxMjAiLCJkIjoiamFuZSIsInAiOiJ7IFwidH\#
        huXCI6IFwiNDcxMVwiIH0iLCJ4IjoieyBcImxvY2F0aW9uXCI6IHsgXCJsYXRpdHVkZVwiOiA1MS41LCBcIm\#
        xvbmdpdHVkZVwiOiAtMC4xMiB9LCBcInJlbW90ZUlwXCI6IFwiMjAzLjAuMTEzLjdcIiwgXCJ1c2VyQWdlbn\#
        RcIjogXCJNb3ppbGxhLzUuMCAoWDExOyBMaW51eCB4ODZfNjQpXCIgfSIsIm4iOiIxNyw0Miw4NiJ9.ELPDA\#
        f7ZJKDcpqIl7cumxGmrIcLx1GP8dlXek2Zqqik","content-available":1,"mutable-content":1}}
        """#

    /// That push for Firebase: the whole message.
    static let fcmMessage = #"""
        {"priority":"high","data":{"message":"eyJ0eXAiOiJKV1QiLCJhbGciOiJIUzI1NiJ9.eyJ1IjoiO\#
        EQ3RjJCNjQtMEMxQS00RTUzLTlCN0QtMkY2QTFDM0U1RDkwIiwibCI6IllXMXNZbU52YjJ0cFpUMHdNdz09I\#
        iwiYyI6InVxOGduSXhlUTQ0aFNKMnBwR1FiR0RBL0lWcjkzK3JLckVYZnBHdmV5QlU9IiwibSI6IkxvZ2luI\#
        GF0dGVtcHQgZnJvbSBqYW5lIGF0IEV4YW1wbGUgQmFuayIsImsiOiJjaGFsbGVuZ2UiLCJpIjoiMTc2MDAwM\#
        DMwMDAwMCIsInQiOiIxMjAiLCJkIjoiamFuZSIsInAiOiJ7IFwidHhuXCI6IFwiNDcxMVwiIH0iLCJ4Ijoie\#
        yBcImxvY2F0aW9uXCI6IHsgXCJsYXRpdHVkZVwiOiA1MS41LCBcImxvbmdpdHVkZVwiOiAtMC4xMiB9LCBcI\#
        nJlbW90ZUlwXCI6IFwiMjAzLjAuMTEzLjdcIiwgXCJ1c2VyQWdlbnRcIjogXCJNb3ppbGxhLzUuMCAoWDExO\#
        yBMaW51eCB4ODZfNjQpXCIgfSIsIm4iOiIxNyw0Miw4NiJ9.ELPDAf7ZJKDcpqIl7cumxGmrIcLx1GP8dlXe\#
        k2Zqqik","messageId":"AUTHENTICATE:c2a9e6d4-71b3-4f0e-8a55-90be1d7f46c31760000300001\#
        "}}
        """#

    /// Its JWT with other numbers and the old signature.
    static let tamperedJWT = #"""
        eyJ0eXAiOiJKV1QiLCJhbGciOiJIUzI1NiJ9.eyJ1IjoiOEQ3RjJCNjQtMEMxQS00RTUzLTlCN0QtMkY2QTF\#
        DM0U1RDkwIiwibCI6IllXMXNZbU52YjJ0cFpUMHdNdz09IiwiYyI6InVxOGduSXhlUTQ0aFNKMnBwR1FiR0R\#
        BL0lWcjkzK3JLckVYZnBHdmV5QlU9IiwibSI6IkxvZ2luIGF0dGVtcHQgZnJvbSBqYW5lIGF0IEV4YW1wbGU\#
        gQmFuayIsImsiOiJjaGFsbGVuZ2UiLCJpIjoiMTc2MDAwMDMwMDAwMCIsInQiOiIxMjAiLCJkIjoiamFuZSI\#
        sInAiOiJ7IFwidHhuXCI6IFwiNDcxMVwiIH0iLCJ4IjoieyBcImxvY2F0aW9uXCI6IHsgXCJsYXRpdHVkZVw\#
        iOiA1MS41LCBcImxvbmdpdHVkZVwiOiAtMC4xMiB9LCBcInJlbW90ZUlwXCI6IFwiMjAzLjAuMTEzLjdcIiw\#
        gXCJ1c2VyQWdlbnRcIjogXCJNb3ppbGxhLzUuMCAoWDExOyBMaW51eCB4ODZfNjQpXCIgfSIsIm4iOiIxNyw\#
        0Myw4NiJ9.ELPDAf7ZJKDcpqIl7cumxGmrIcLx1GP8dlXek2Zqqik
        """#

    /// Its JWT, signed by HMAC-SHA384.
    static let hs384JWT = #"""
        eyJ0eXAiOiJKV1QiLCJhbGciOiJIUzM4NCJ9.eyJ1IjoiOEQ3RjJCNjQtMEMxQS00RTUzLTlCN0QtMkY2QTF\#
        DM0U1RDkwIiwibCI6IllXMXNZbU52YjJ0cFpUMHdNdz09IiwiYyI6InVxOGduSXhlUTQ0aFNKMnBwR1FiR0R\#
        BL0lWcjkzK3JLckVYZnBHdmV5QlU9IiwibSI6IkxvZ2luIGF0dGVtcHQgZnJvbSBqYW5lIGF0IEV4YW1wbGU\#
        gQmFuayIsImsiOiJjaGFsbGVuZ2UiLCJpIjoiMTc2MDAwMDMwMDAwMCIsInQiOiIxMjAiLCJkIjoiamFuZSI\#
        sInAiOiJ7IFwidHhuXCI6IFwiNDcxMVwiIH0iLCJ4IjoieyBcImxvY2F0aW9uXCI6IHsgXCJsYXRpdHVkZVw\#
        iOiA1MS41LCBcImxvbmdpdHVkZVwiOiAtMC4xMiB9LCBcInJlbW90ZUlwXCI6IFwiMjAzLjAuMTEzLjdcIiw\#
        gXCJ1c2VyQWdlbnRcIjogXCJNb3ppbGxhLzUuMCAoWDExOyBMaW51eCB4ODZfNjQpXCIgfSIsIm4iOiIxNyw\#
        0Miw4NiJ9.CMzNdEPmSuzM3tH-_9IDB_FHXFByPCJFlgGHzySNpW8J_QGTCkegqUgy7_tK4saZ
        """#

    /// Its JWT without a signature.
    static let unsignedJWT = #"""
        eyJ0eXAiOiJKV1QiLCJhbGciOiJub25lIn0.eyJ1IjoiOEQ3RjJCNjQtMEMxQS00RTUzLTlCN0QtMkY2QTFD\#
        M0U1RDkwIiwibCI6IllXMXNZbU52YjJ0cFpUMHdNdz09IiwiYyI6InVxOGduSXhlUTQ0aFNKMnBwR1FiR0RB\#
        L0lWcjkzK3JLckVYZnBHdmV5QlU9IiwibSI6IkxvZ2luIGF0dGVtcHQgZnJvbSBqYW5lIGF0IEV4YW1wbGUg\#
        QmFuayIsImsiOiJjaGFsbGVuZ2UiLCJpIjoiMTc2MDAwMDMwMDAwMCIsInQiOiIxMjAiLCJkIjoiamFuZSIs\#
        InAiOiJ7IFwidHhuXCI6IFwiNDcxMVwiIH0iLCJ4IjoieyBcImxvY2F0aW9uXCI6IHsgXCJsYXRpdHVkZVwi\#
        OiA1MS41LCBcImxvbmdpdHVkZVwiOiAtMC4xMiB9LCBcInJlbW90ZUlwXCI6IFwiMjAzLjAuMTEzLjdcIiwg\#
        XCJ1c2VyQWdlbnRcIjogXCJNb3ppbGxhLzUuMCAoWDExOyBMaW51eCB4ODZfNjQpXCIgfSIsIm4iOiIxNyw0\#
        Miw4NiJ9.
        """#

    /// Its JWT, signed with 32 zero bytes.
    static let wrongKeyJWT = #"""
        eyJ0eXAiOiJKV1QiLCJhbGciOiJIUzI1NiJ9.eyJ1IjoiOEQ3RjJCNjQtMEMxQS00RTUzLTlCN0QtMkY2QTF\#
        DM0U1RDkwIiwibCI6IllXMXNZbU52YjJ0cFpUMHdNdz09IiwiYyI6InVxOGduSXhlUTQ0aFNKMnBwR1FiR0R\#
        BL0lWcjkzK3JLckVYZnBHdmV5QlU9IiwibSI6IkxvZ2luIGF0dGVtcHQgZnJvbSBqYW5lIGF0IEV4YW1wbGU\#
        gQmFuayIsImsiOiJjaGFsbGVuZ2UiLCJpIjoiMTc2MDAwMDMwMDAwMCIsInQiOiIxMjAiLCJkIjoiamFuZSI\#
        sInAiOiJ7IFwidHhuXCI6IFwiNDcxMVwiIH0iLCJ4IjoieyBcImxvY2F0aW9uXCI6IHsgXCJsYXRpdHVkZVw\#
        iOiA1MS41LCBcImxvbmdpdHVkZVwiOiAtMC4xMiB9LCBcInJlbW90ZUlwXCI6IFwiMjAzLjAuMTEzLjdcIiw\#
        gXCJ1c2VyQWdlbnRcIjogXCJNb3ppbGxhLzUuMCAoWDExOyBMaW51eCB4ODZfNjQpXCIgfSIsIm4iOiIxNyw\#
        0Miw4NiJ9.N5QPEml_gcch-NcEP2bUAXp0-tgm7dFP5BhnYKBUH04
        """#

    /// What a push of AM 7.1 claims.
    static let smallestPushClaims = #"""
        {"c":"uq8gnIxeQ44hSJ2ppGQbGDA/IVr93+rKrEXfpGveyBU=","t":"120","u":"8D7F2B64-0C1A-4E5\#
        3-9B7D-2F6A1C3E5D90","l":"YW1sYmNvb2tpZT0wMw=="}
        """#

    /// A yes without a number.
    static let acceptBody = #"""
        {"messageId":"AUTHENTICATE:c2a9e6d4-71b3-4f0e-8a55-90be1d7f46c31760000300001","jwt":\#
        "eyJ0eXAiOiJKV1QiLCJhbGciOiJIUzI1NiJ9.eyJyZXNwb25zZSI6IkdlTVFQQ0xCTHI5WFIzYjR2VmYrWE\#
        lDb1NCTk05VFl6Mm1zUTJ5cGFHdTA9In0.BuCsNFaOGG58VsiFUkmTsEdFE4APnEy9Ek9ECEqmxbA"}
        """#

    /// A yes with the number 42.
    static let numberBody = #"""
        {"messageId":"AUTHENTICATE:c2a9e6d4-71b3-4f0e-8a55-90be1d7f46c31760000300001","jwt":\#
        "eyJ0eXAiOiJKV1QiLCJhbGciOiJIUzI1NiJ9.eyJyZXNwb25zZSI6IkdlTVFQQ0xCTHI5WFIzYjR2VmYrWE\#
        lDb1NCTk05VFl6Mm1zUTJ5cGFHdTA9IiwiY2hhbGxlbmdlUmVzcG9uc2UiOiI0MiJ9.tEFAGsf-ilkxv-7gd\#
        52pqJlEb1KwMCLA-NQ-o5kDF-8"}
        """#

    /// A no.
    static let denyBody = #"""
        {"messageId":"AUTHENTICATE:c2a9e6d4-71b3-4f0e-8a55-90be1d7f46c31760000300001","jwt":\#
        "eyJ0eXAiOiJKV1QiLCJhbGciOiJIUzI1NiJ9.eyJyZXNwb25zZSI6IkdlTVFQQ0xCTHI5WFIzYjR2VmYrWE\#
        lDb1NCTk05VFl6Mm1zUTJ5cGFHdTA9IiwiZGVueSI6dHJ1ZX0.hD9vshON917BneCOsStdktUV_KfpxikvNQ\#
        hQcaeLWqY"}
        """#

    /// A new device token.
    static let refreshBody = #"""
        {"mechanismUid":"8D7F2B64-0C1A-4E53-9B7D-2F6A1C3E5D90","jwt":"eyJ0eXAiOiJKV1QiLCJhbG\#
        ciOiJIUzI1NiJ9.eyJtZWNoYW5pc21VaWQiOiI4RDdGMkI2NC0wQzFBLTRFNTMtOUI3RC0yRjZBMUMzRTVEO\#
        TAiLCJkZXZpY2VJZCI6IkZGRkVGREZDRkJGQUY5RjhGN0Y2RjVGNEYzRjJGMUYwRUZFRUVERUNFQkVBRTlFO\#
        EU3RTZFNUU0RTNFMkUxRTAiLCJkZXZpY2VOYW1lIjoiSmFuZSdzIGlQaG9uZSIsImRldmljZVR5cGUiOiJpb\#
        3MiLCJjb21tdW5pY2F0aW9uVHlwZSI6ImFwbnMifQ.djkqjTHQqe6Cz2e4sFUG45lp-drosVp9omzJTahtUk\#
        w","username":"jane"}
        """#

    /// A combined QR code with policies.
    static let combinedURI = #"""
        mfauth://totp/Example%20Bank:jane.doe@example.com?l=YW1sYmNvb2tpZT0wMw&issuer=RXhhbX\#
        BsZSBCYW5r&m=REGISTER:3f1f0c1e-5a0b-4c67-9d0e-7b1d2a3c4e5f1760000000123&s=J8kqWUgZYs\#
        EMbItzEJV-LpDyNdb-wfvT7kUV_ddORO4&c=DtrPZhb_zgqGwoRBnvK8te-M41i3T0zo6AdD4UT-7l0&r=aH\#
        R0cHM6Ly9hbS5leGFtcGxlLmNvbTo4NDQzL2FtL2pzb24vYWxwaGEvcHVzaC9zbnMvbWVzc2FnZT9fYWN0aW\#
        9uPXJlZ2lzdGVy&a=aHR0cHM6Ly9hbS5leGFtcGxlLmNvbTo4NDQzL2FtL2pzb24vYWxwaGEvcHVzaC9zbnM\#
        vbWVzc2FnZT9fYWN0aW9uPWF1dGhlbnRpY2F0ZQ&uid=amFuZQ&pid=NWQxYzNmMGEtM2IyZS00YTU1LTlhM\#
        WUtMGMyYjdmNmQ4MTkwMTc2MDAwMDAwMDAwMA&b=032b75&image=https://am.example.com/logo.png\#
        &secret=6X3YPUD2QD67ZG2XE2ACDL2QHUQIRJ6S&period=30&digits=6&oid=YTdiNmM1ZDQtMTEyMi00\#
        MzMzLTg0NDQtNTU2Njc3ODg5OTAwMTc2MDAwMDAwMDAwMA&policies=eyJiaW9tZXRyaWNBdmFpbGFibGUi\#
        Ont9LCJkZXZpY2VUYW1wZXJpbmciOnsic2NvcmUiOjAuOH19
        """#
}
