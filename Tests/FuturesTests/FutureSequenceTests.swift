import Futures
import Interleaving
import Testing

@Suite(.timeLimit(.minutes(10))) struct FutureSequenceTests {
    private let promises = (0..<5).map { _ in Promise<Int, Fault>() }

    private func sequence(
        limit: Int, _ order: FutureSequence<Range<Int>, Int, Fault>.Order, _ made: Journal<String> = Journal<String>()
    ) -> FutureSequence<Range<Int>, Int, Fault> {
        FutureSequence(0..<5, limit: limit, order: order) { [promises] number in
            made.add("\(number)")
            return promises[number].future
        }
    }

    @Test func outcomesComeAsTheySettle() async {
        var iterator = sequence(limit: 5, .completion).makeAsyncIterator()
        promises[3].resolve(30)
        var places: [Int] = []
        for next in [1, 4, 0, 2] {
            places.append(await iterator.next()?.place ?? -1)
            promises[next].resolve(next * 10)
        }
        places.append(await iterator.next()?.place ?? -1)
        #expect(places == [3, 1, 4, 0, 2])
        #expect(await iterator.next() == nil)
        #expect(await iterator.next() == nil)
    }

    @Test func outcomesComeAsTheyWereAsked() async {
        for place in [4, 2, 0, 3] { promises[place].resolve(place) }
        promises[1].reject(.late)
        var results: [Result<Int, Fault>] = []
        var inputs: [Int] = []
        for await element in sequence(limit: 5, .input) {
            results.append(element.result)
            inputs.append(element.input)
        }
        #expect(results == [.success(0), .failure(.late), .success(2), .success(3), .success(4)])
        #expect(inputs == Array(0..<5))
    }

    @Test(arguments: [1, 2, 3]) func noMoreThanTheLimitArePending(limit: Int) async {
        let made = Journal<String>()
        var iterator = sequence(limit: limit, .completion, made).makeAsyncIterator()
        for number in 0..<5 {
            promises[number].resolve(number)
            #expect(await iterator.next()?.place == number)
            #expect(made.entries.count <= number + limit)
        }
        #expect(await iterator.next() == nil)
        #expect(made.entries.count == 5)
    }

    @Test func inOrderWhatWaitsForAnEarlierOneCounts() {
        withVirtualTime {
            let made = Journal<String>()
            for place in 1..<5 { promises[place].resolve(place) }
            let reading = Task {
                var places: [Int] = []
                for await element in sequence(limit: 2, .input, made) { places.append(element.place) }
                return places
            }
            await settle()
            check(made.entries == ["0", "1"], "\(made.entries)")
            promises[0].resolve(0)
            let places = await reading.value
            check(places == Array(0..<5), "\(places)")
        }
    }

    @Test func aCancelledIterationMakesNoMore() async {
        let made = Journal<String>()
        let reading = Task {
            var count = 0
            for await _ in sequence(limit: 1, .completion, made) { count += 1 }
            return count
        }
        while made.entries.isEmpty, !Task.isCancelled { await Task.yield() }
        reading.cancel()
        #expect(await reading.value == 0)
        #expect(made.entries == ["0"])
    }

    @Test func ofNothingComesNothing() async {
        let nothing = FutureSequence([Int](), limit: 3, order: .input) { Future<Int, Fault>.preResolved(value: $0) }
        for await _ in nothing { Issue.record("there is nothing") }
    }
}
