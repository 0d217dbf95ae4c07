import Foundation
import Futures
import Logging
import ServiceLifecycle
import Site
import UnixSignals

/// Reads the certificate again once a minute, and at SIGHUP; open connections continue.
struct CertificateReloading: Service {
    private static let interval = Duration.seconds(60)
    /// From when on the log warns of the certificate's end, in seconds.
    private static let warning: TimeInterval = 7 * 24 * 3_600

    let certificate: SiteCertificate
    private let logger = Logger(label: "meanwhile.certificate")

    init(certificate: SiteCertificate) {
        self.certificate = certificate
    }

    func run() async {
        let signals = await UnixSignalsSequence(trapping: .sighup)
        await cancelWhenGracefulShutdown {
            await withTaskGroup { group in
                group.addTask { for await _ in signals { reload(isAsked: true) } }
                group.addTask {
                    await Stopwatch(ContinuousClock()).tick(every: Self.interval) { reload(isAsked: false) }
                }
                await group.waitForAll()
            }
        }
        // If a service returned before the others, the service group would end them all.
        try? await gracefulShutdown()
    }

    private func reload(isAsked: Bool) {
        do throws(SiteError) {
            let hasChanged = try certificate.reload()
            if hasChanged || isAsked { logger.notice("The certificate was read again") }
            if certificate.expiresAt < Date() + Self.warning {
                logger.warning("The certificate expires soon", metadata: ["expires": "\(certificate.expiresAt)"])
            }
        } catch {
            logger.error(
                "The certificate can't be read again; the earlier one is used", metadata: ["error": "\(error)"])
        }
    }
}
