import Loading

// A forecast from a station that rejects its first request as busy, and knows one city.

/// The error of a forecast.
enum ForecastError: RetryAdvising, Equatable {
    case busy
    case unknownCity(String)

    var retryAdvice: RetryAdvice {
        switch self {
        case .busy: .retry(after: nil)
        case .unknownCity: .never
        }
    }
}

actor Station {
    private var requests = 0

    func forecast(
        _ city: String, _ report: @Sendable (FetchProgress) -> Void
    ) async throws(ForecastError) -> String {
        requests += 1
        if requests == 1 { throw .busy }
        guard city == "Zürich" else { throw .unknownCity(city) }
        for received in 1...4 { report(FetchProgress(received: Int64(received), expected: 4)) }
        return "22°"
    }
}

@main
struct Weather {
    @MainActor
    static func main() async throws {
        let station = Station()
        let forecast = Loader { (city: String, report) async throws(ForecastError) -> String in
            try await station.forecast(city, report)
        }

        // The first request fails, and the loader retries it.
        print("Zürich:", try await forecast.value(of: "Zürich"))

        // The last value can be shown while another key loads, and after that load has failed.
        forecast.load("Atlantis")
        print("loading:", forecast.state)
        print("in the end:", try await forecast.settled())
        print("to be shown:", forecast.value ?? "nothing", "of", forecast.valueSource ?? "nowhere")

        // Loading another key cancels the load in progress, so that the caller doesn't see Atlantis fail again.
        forecast.retry()
        forecast.load("Zürich")
        print("back in Zürich:", try await forecast.settled())
    }
}
