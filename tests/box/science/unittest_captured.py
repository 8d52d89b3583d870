"""Unit tests run in process, their report captured."""
import io
import unittest
from unittest import mock


class Account:
    def __init__(self, balance=0):
        self.balance = balance

    def pay(self, amount):
        if amount > self.balance:
            raise ValueError("not enough")
        self.balance -= amount


class AccountTest(unittest.TestCase):
    def setUp(self):
        self.account = Account(100)

    def test_pay(self):
        self.account.pay(30)
        self.assertEqual(self.account.balance, 70)

    def test_too_much(self):
        with self.assertRaisesRegex(ValueError, "enough"):
            self.account.pay(200)

    def test_subtests(self):
        for amount in (1, 2, 3):
            with self.subTest(amount=amount):
                self.assertLess(amount, 3)

    def test_wrong(self):
        self.assertAlmostEqual(0.1 + 0.2, 0.4)

    @unittest.skip("not today")
    def test_skipped(self):
        self.fail()

    @unittest.expectedFailure
    def test_expected(self):
        self.assertIn("a", "xyz")

    def test_mock(self):
        bank = mock.Mock()
        bank.rate.return_value = 5
        self.assertEqual(bank.rate("EUR"), 5)
        bank.rate.assert_called_once_with("EUR")
        with mock.patch.object(Account, "pay", side_effect=KeyError):
            self.assertRaises(KeyError, self.account.pay, 1)


stream = io.StringIO()
suite = unittest.defaultTestLoader.loadTestsFromTestCase(AccountTest)
result = unittest.TextTestRunner(stream=stream, verbosity=2).run(suite)
print(result.testsRun, len(result.failures), len(result.errors), len(result.skipped), len(result.expectedFailures))
print(result.wasSuccessful(), "FAILED" in stream.getvalue(), suite.countTestCases())
