/// Runs the code of the tutorials whose library has no example of its own, one file for each.
@main
enum Program {
    static func main() async throws {
        print("# ImageInfo")
        checkImages()
        print("# FuturesFoundation")
        await showTemperatures()
        print("# DurableFiles")
        try openWorkspaces()
        print("# Egress")
        await checkAddresses()
        print("# HealthSamples")
        try await logSamples()
        print("# EmojiArtModel")
        try drawBoard()
        print("# CoffeeTrackerModel")
        try estimateCaffeine()
    }
}
