import Drinks

/// Keeps the drinks in a file, and knows what the file has.
actor CoffeeDataStore {
    private let file: any DrinkFile
    private let log: @Sendable (String) -> Void
    private var savedValue: [Drink] = []

    init(file: any DrinkFile, log: @escaping @Sendable (String) -> Void) {
        self.file = file
        self.log = log
    }

    func load() -> [Drink] {
        do {
            savedValue = try file.read()
        } catch {
            log("The drinks could not be read: \(error)")
        }
        return savedValue
    }

    func save(_ drinks: [Drink]) {
        guard drinks != savedValue else { return }
        do {
            try file.write(drinks)
            savedValue = drinks
        } catch {
            log("The drinks could not be saved: \(error)")
        }
    }
}
