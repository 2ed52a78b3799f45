namespace Ambrosia.InProcess.Tests;

/// <summary>Accounts, and what is told about them to an auditor.</summary>
[ImmortalInterface]
public interface IBank
{
    decimal Deposit(string account, decimal amount);

    decimal Balance(string account);

    decimal Transfer(string from, string bank, string to, decimal amount);

    [Impulse]
    void CardSwiped(string account, decimal amount);

    int Remind(string account, TimeSpan after);

    int GiveUp(TimeSpan after);

    DateTimeOffset Clock();

    decimal Refuse(string reason);

    void PingPong(string with);
}
