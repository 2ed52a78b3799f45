namespace Ambrosia.TimeTravel.Tests.Apps;

/// <summary>Accounts with a history; made to be looked back at.</summary>
[ImmortalInterface]
public interface ILedger
{
    long Deposit(string account, long amount);

    void Note(string text);

    long Transfer(string from, string to, long amount);

    [Impulse]
    void Pay(string account, long amount);

    long Refuse(string reason);
}
