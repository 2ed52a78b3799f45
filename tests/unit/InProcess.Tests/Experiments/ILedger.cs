namespace Ambrosia.InProcess.Tests.Experiments;

/// <summary>The bank of the auction.</summary>
[ImmortalInterface]
public interface ILedger
{
    void Open(string account, int amount);

    /// <summary>False if the payer has not enough.</summary>
    bool Pay(string from, string to, int amount);
}
