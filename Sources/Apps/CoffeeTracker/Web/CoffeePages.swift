/// The pages of Coffee Tracker.
public enum CoffeePages {}
