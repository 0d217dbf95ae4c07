/// Two ways to withdraw: one of them loses money.
public actor Bank {
    /// The current balance.
    public private(set) var balance: Int
    private let audit = Audit()

    /// Opens an account.
    public init(balance: Int) {
        self.balance = balance
    }

    /// Reads the balance before a suspension and writes it after, so that concurrent withdrawals can be lost.
    public func withdrawCarelessly(_ amount: Int) async {
        let before = balance
        await audit.log(amount)
        balance = before - amount
    }

    /// Reads and writes the balance without a suspension between.
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
