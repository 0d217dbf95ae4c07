import Bank
import Interleaving
import Testing

@Suite struct BankTests {
    @Test(.explored(schedules: 2_000)) func concurrentWithdrawalsLoseNoUpdate() async {
        let bank = Bank(balance: 100)
        async let first: Void = bank.withdraw(1)
        async let second: Void = bank.withdraw(1)
        _ = await (first, second)
        let balance = await bank.balance
        #expect(balance == 98)
    }

    /// Finds the lost update, and prints the report about it.
    @Test func carelessConcurrentWithdrawalsLoseAnUpdate() {
        let found = exploration(schedules: 2_000) {
            let bank = Bank(balance: 100)
            async let first: Void = bank.withdrawCarelessly(1)
            async let second: Void = bank.withdrawCarelessly(1)
            _ = await (first, second)
            check(await bank.balance == 98, "lost update")
        }
        #expect(found.outcome == .failed("lost update"))
        print(found.report)
    }
}
