import Settings
import Tokens
import WebSocketServer
import Wire

/// A connection lives on with a new token.
extension Sessions {
    /// A hello of who has said hello: its token takes the place of the one before, and the connection ends with it. Nothing else
    /// changes; a token that does not count leaves everything as it is.
    func renew(_ session: Session, _ id: Int64?, token: String?, resume: [ResumePoint]) {
        guard session.isGreeted, let identity = session.identity else {
            return refuse(session, id, .badMessage, "This connection's hello is being carried out: wait for its reply.")
        }
        guard resume.isEmpty else {
            return refuse(
                session, id, .badMessage,
                "field `resume`: this connection has said hello already, and misses nothing. Leave it out to renew the token.",
                field: "resume")
        }
        guard let token else {
            return refuse(
                session, id, .badMessage,
                "field `token`: this connection has said hello already; expected the token that is to take the place of its own.",
                field: "token")
        }
        let claims: TokenClaims
        do {
            claims = try services.claims(of: token)
        } catch {
            return refuse(session, id, error == .wrongCity ? .forbidden : .unauthenticated, "\(error)")
        }
        guard !session.mustLeave, Speaker(claims).speaks(for: identity.claims) else {
            return refuse(
                session, id, .forbidden,
                "field `token`: it is another's than this connection's, or allows less. Open a new connection for it.",
                field: "token")
        }
        let renewed = identity.renewed(claims, leewayS: settings.tokens.leewayS)
        session.identity = renewed
        checkDeadline(session.connection.rawValue)
        reply(session, id, greeting(renewed, session), to: "hello")
    }
}

extension Identity {
    fileprivate func renewed(_ claims: TokenClaims, leewayS: Int) -> Identity {
        Identity(claims: claims, channel: channel, expiresAt: (claims.expiresAt + Int64(leewayS)) * 1000)
    }
}
