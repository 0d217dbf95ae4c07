import Drinks

/// Stores the drinks in a file, and skips writes that wouldn't change it.
actor CoffeeDataStore {
    private let file: any DrinkFile
    private let logger: Logger
    private var savedValue: [Drink] = []
    private var savedEdition = 0

    init(file: any DrinkFile, log: @escaping @Sendable (String) -> Void) {
        self.file = file
        self.logger = Logger(category: "CoffeeDataStore", write: log)
    }

    func load() -> [Drink] {
        do {
            savedValue = try file.read()
            logger.log("Read drinks: \(savedValue.count).")
        } catch {
            logger.log("The drinks could not be read: \(error)")
        }
        return savedValue
    }

    /// Saves drinks, unless a later edition was saved first: an actor doesn't run its waiting calls in order.
    func save(_ drinks: [Drink], edition: Int) throws {
        guard edition > savedEdition else { return }
        if drinks != savedValue {
            do {
                try file.write(drinks)
            } catch {
                logger.log("The drinks could not be saved: \(error)")
                throw error
            }
            savedValue = drinks
            logger.log("Saved drinks: \(drinks.count).")
        }
        savedEdition = edition
    }
}
