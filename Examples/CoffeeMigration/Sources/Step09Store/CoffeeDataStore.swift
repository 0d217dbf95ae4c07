import Drinks

/// Stores the drinks in a file, and skips writes that wouldn't change it.
actor CoffeeDataStore {
    private let file: any DrinkFile
    private let logger: Logger
    private var savedValue: [Drink] = []

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

    func save(_ drinks: [Drink]) {
        guard drinks != savedValue else { return }
        do {
            try file.write(drinks)
            savedValue = drinks
            logger.log("Saved drinks: \(drinks.count).")
        } catch {
            logger.log("The drinks could not be saved: \(error)")
        }
    }
}
