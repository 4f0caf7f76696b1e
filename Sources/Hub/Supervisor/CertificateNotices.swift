import WebSocketServer

/// What is to be said of the TLS certificate that is served: once a day from 14 days before its end, at its end, and once a day from then on.
struct CertificateNotices {
    enum Notice: Equatable {
        /// At least one.
        case ends(withinDays: Int64)
        /// Clients refuse it, and why.
        case fault(String)

        fileprivate var isFault: Bool { if case .fault = self { true } else { false } }
    }

    private static let dayS: Int64 = 86_400
    private static let noticeS: Int64 = 14 * dayS
    /// The clock may be set: so often it is looked at, s.
    private static let lookS: Int64 = 3_600

    private let validity: TLSFiles.Validity
    private var last: (isFault: Bool, at: Int64)?

    init(_ validity: TLSFiles.Validity) { self.validity = validity }

    /// Nil: nothing at this time, Unix s.
    mutating func next(at time: Int64) -> Notice? {
        guard let notice = standing(at: time) else {
            last = nil
            return nil
        }
        if let last, last.isFault == notice.isFault, last.at..<(last.at + Self.dayS) ~= time { return nil }
        last = (notice.isFault, time)
        return notice
    }

    /// In how many seconds it is to be looked at again.
    func wait(at time: Int64) -> Int64 {
        time < validity.until ? min(Self.lookS, validity.until - time) : Self.lookS
    }

    private func standing(at time: Int64) -> Notice? {
        if let fault = validity.fault(at: time) { return .fault(fault) }
        let left = validity.until - time
        return left <= Self.noticeS ? .ends(withinDays: (left + Self.dayS - 1) / Self.dayS) : nil
    }
}
