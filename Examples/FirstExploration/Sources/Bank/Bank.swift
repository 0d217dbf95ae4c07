/// Two ways to withdraw: one of them loses money.
public actor Bank {
    /// What is left.
    public private(set) var balance: Int
    private let audit = Audit()

    /// Opens an account.
    public init(balance: Int) {
        self.balance = balance
    }

    /// Reads before a suspension what it writes after it.
    public func withdrawCarelessly(_ amount: Int) async {
        let before = balance
        await audit.log(amount)
        balance = before - amount
    }

    /// Reads, changes and writes back, and only then waits.
    public func withdraw(_ amount: Int) async {
        balance -= amount
        await audit.log(amount)
    }
}

actor Audit {
    private var amounts: [Int] = []

    func log(_ amount: Int) {
        amounts.append(amount)
    }
}
