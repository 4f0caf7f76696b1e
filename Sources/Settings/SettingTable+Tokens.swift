extension Settings {
    static let tokenTable: [Setting] = [
        .text(
            "tokens.secret_file", \.tokens.secretFile, .path, .atReload,
            """
            File with the secrets of HS256 tokens, one "kid base64url-secret" per line: the first signs, all are \
            accepted, so a new one goes on top and the old one is taken out when its tokens have expired. Who came with a \
            token of a secret that is taken out is sent away (close 4401). Made at first start with mode 0600; refused \
            when others can read it. Empty is token.secret in the data directory.
            """),
        .publicKeys(
            "tokens.public_keys", \.tokens.publicKeys, .atReload,
            """
            Public keys (PEM) of other issuers, whose RS256, ES256 and EdDSA (Ed25519) tokens are accepted by their kid: a \
            list of {kid: "name", file: "key.pem"}; in the environment the same, or "name=key.pem". Each may have, too: \
            roles: [passenger], which it may give, and no others, of several in a token the first of this list; issuer: \
            "…" and audience: "…", which iss and aud must be, where with an audience the token may leave the city out; \
            claims: {subject: "sub", role: "role", kind: "kind", city: "city"}, where these stand, with dots into objects \
            (realm_access.roles) or a whole URL as the name; values: {"their-word": driver}, its words for our roles and \
            kinds, and then no other word is a role; scopes: ["events:personal", "payments"], which it may give, else none; prefix: "acme.", which stands before its subjects. No two issuers can name \
            the same person: all but one need a prefix, none may begin with another's, and the one without can't say a \
            subject that begins so. Only keys with the same issuer may share a prefix, or have none. A subject that has other characters than A-Z a-z 0-9 _ . - is encoded: auth0|ab is \
            _xauth0_7Cab, and a very long one is _h and its hash; the answer to hello says it.
            """),
        .integer(
            "tokens.leeway_s", \.tokens.leewayS, 0...600, .atReload,
            "By how much the clock of an issuer may differ from ours."),
        .integer(
            "tokens.max_life_s", \.tokens.maxLifeS, 60...315_360_000, .atReload,
            """
            The longest life of a token, from iat to exp, seconds; one without iat may end at most so far ahead. A stolen \
            token is good until it ends or is revoked, so this bounds the harm, and the length of tokens.revoked_file.
            """),
        .text(
            "tokens.revoked_file", \.tokens.revokedFile, .file, .atReload,
            """
            File with tokens that count no more, one "role subject issued-before" per line, as "driver T345 \
            2026-11-22T06:00:00Z"; the subject * is everybody of the role. Whoever is connected with such a token is sent \
            away (close 4401). A line may go once the longer of tokens.max_life_s and tokens.sign_in_s, and twice \
            tokens.leeway_s, have passed since its time. Empty is none.
            """),
        .integer(
            "tokens.sign_in_life_s", \.tokens.signInLifeS, 60...86_400, .atReload,
            "How long a token of somebody who has signed in here lives, seconds. It renews itself while the sign-in lasts."
        ),
        .integer(
            "tokens.sign_in_s", \.tokens.signInS, 60...315_360_000, .atReload,
            "How long a sign-in lasts, with all its tokens, seconds."),
        .integer(
            "tokens.guests_per_hour", \.tokens.guestsPerHour, 0...100_000, .atReload,
            """
            How many guests, who may watch lines and ask for a stop without an account, one network (an IPv4 address, or a \
            /48 of IPv6) may become in an hour, at each worker. A guest stays one for as long as the sign-in. 0: nobody can.
            """),
    ]
}
