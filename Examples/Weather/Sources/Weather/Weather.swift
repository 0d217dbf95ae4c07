import Loading

// A forecast from a station that is busy at first, and knows one city.

/// Why there is no forecast.
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

        // The first request fails, and is made again.
        print("Zürich:", try await forecast.value(of: "Zürich"))

        // What was there before can be shown while something else is on its way, and when that could not be had.
        forecast.load("Atlantis")
        print("on its way:", forecast.state)
        print("in the end:", try await forecast.settled())
        print("to be shown:", forecast.value ?? "nothing", "of", forecast.valueSource ?? "nowhere")

        // To load something else cancels what is under way: nobody sees Atlantis fail again.
        forecast.retry()
        forecast.load("Zürich")
        print("back in Zürich:", try await forecast.settled())
    }
}
