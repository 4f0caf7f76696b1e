internal import COpenSSL
internal import Glibc

/// Tickets of TLS sessions: a client shows the one that it was given, and comes back without a certificate, a signature and their
/// check. Nothing is kept here for it.
///
/// Of TLS 1.3 a resumed connection agrees on a secret of its own all the same (OpenSSL takes `psk_dhe_ke` only), and nothing is read
/// before the handshake is done (no early data).
final class SessionTickets {
    /// Tickets of a full handshake: each costs some 15 µs and 255 bytes. Who resumes gets one in any case.
    private static let ticketsOfHandshake = 1
    /// What was sealed for another purpose by the same keys would not be taken.
    private static let purpose: [UInt8] = Array("kerbside".utf8)

    var keys: TicketKeys

    init(_ keys: TicketKeys) { self.keys = keys }

    /// `tickets` must outlive the SSL_CTX; nil: sessions of this one are not resumed.
    static func install(_ tickets: SessionTickets?, into context: OpaquePointer) {
        kb_ctx_keep_no_sessions(context)
        guard let tickets else { return kb_ctx_give_no_tickets(context) }
        SSL_CTX_set_ex_data(context, ticketsIndex, Unmanaged.passUnretained(tickets).toOpaque())
        SSL_CTX_set_tlsext_ticket_key_evp_cb(context, useKeys)
        SSL_CTX_set_num_tickets(context, ticketsOfHandshake)
        SSL_CTX_set_timeout(context, tickets.keys.lifeS)
        SSL_CTX_set_session_id_context(context, purpose, UInt32(purpose.count))
    }
}

private let ticketsIndex = kb_ctx_new_index()

/// What OpenSSL does with a ticket, by what is returned.
private enum Verdict {
    static let failed: Int32 = -1
    /// It was sealed by somebody else, or long ago: the handshake is a full one.
    static let unknown: Int32 = 0
    static let good: Int32 = 1
    /// The client is given another one.
    static let goodForOnce: Int32 = 2
}

/// For each ticket that is sealed, and for each that is shown. The context may be that of a later certificate.
private func useKeys(
    _ ssl: OpaquePointer?, _ name: UnsafeMutablePointer<UInt8>?, _ vector: UnsafeMutablePointer<UInt8>?,
    _ cipher: OpaquePointer?, _ mac: OpaquePointer?, _ seals: Int32
) -> Int32 {
    guard let name, let vector, let opaque = SSL_CTX_get_ex_data(SSL_get_SSL_CTX(ssl), ticketsIndex) else {
        return Verdict.failed
    }
    let keys = Unmanaged<SessionTickets>.fromOpaque(opaque).takeUnretainedValue().keys
    let sealing = keys.sealing(at: Int64(time(nil)))
    let key = seals == 1 ? sealing : keys.opening(UnsafeBufferPointer(start: name, count: TicketKeys.nameBytes))
    guard let key else { return Verdict.unknown }
    if seals == 1 {
        name.update(from: key.name, count: TicketKeys.nameBytes)
        guard RAND_bytes(vector, Int32(EVP_CIPHER_get_iv_length(EVP_aes_256_cbc()))) == 1 else { return Verdict.failed }
    }
    guard kb_ticket_use_keys(cipher, mac, key.cipher, key.mac, vector, seals) == 1 else { return Verdict.failed }
    // Of TLS 1.3 a ticket is for once: whoever listens would know who comes again with the same. Of 1.2 it is shown in clear,
    // and a new one is for a new key.
    let isForOnce = SSL_version(ssl) == TLS1_3_VERSION || key.name != sealing.name
    return seals == 0 && isForOnce ? Verdict.goodForOnce : Verdict.good
}
