import EventLoop
import Logging
import Settings
import WebSocketServer

/// Says in the log when the TLS certificate that is served comes to its end. Used on the supervisor's loop.
final class CertificateWatch {
    private let data: String
    private let log: Logger
    private let timer: LoopTimer
    private var notices: CertificateNotices?

    /// What workers run with is there already.
    init(_ settings: Settings, loop: EventLoop, log: Logger) {
        data = settings.data.dir
        self.log = log
        timer = LoopTimer(loop)
        if settings.server.tls.isOn { renew() }
    }

    func close() { timer.close() }

    /// Settings were taken anew, and perhaps another certificate with them. What is to be said of it is said again.
    func renew() {
        let files = TLSFiles(certificate: WorkerFiles.certificate(data), key: WorkerFiles.key(data))
        notices = (try? files.validity()).map { CertificateNotices($0) }
        look()
    }

    private func look() {
        let now = EventLoop.wallClock() / 1000
        guard let notice = notices?.next(at: now) else { return wait(now) }
        switch notice {
        case .ends(let days):
            let time = days == 1 ? "a day" : "\(days) days"
            log.warning("the TLS certificate ends within \(time): put a new one in its place, and send SIGHUP")
        case .fault(let fault):
            log.error(
                "the TLS certificate \(fault); it is served until another one is in its place, and SIGHUP is sent")
        }
        wait(now)
    }

    private func wait(_ now: Int64) {
        guard let notices else { return }
        timer.start(afterMs: UInt64(notices.wait(at: now)) * 1000) { [unowned self] in self.look() }
    }
}
