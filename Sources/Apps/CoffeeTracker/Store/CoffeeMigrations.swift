public import Persistence

/// Coffee Tracker's part of the database.
public enum CoffeeMigrations {
    /// Its forms, the oldest first.
    public static let all: [Database.Migration] = []
}
