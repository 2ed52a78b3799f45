namespace Ambrosia.InProcess.Tests.Experiments;

public sealed class Ledger : LedgerBase
{
    private readonly DurableDictionary<string, int> _accounts = [];

    public int Total => _accounts.Sum(static pair => pair.Value);

    public int Least => _accounts.Min(static pair => pair.Value);

    public override DurableTask Open(string account, int amount)
    {
        _accounts[account] = amount;
        return default;
    }

    public override DurableTask<bool> Pay(string from, string to, int amount)
    {
        if (_accounts[from] < amount)
        {
            return false;
        }

        _accounts[from] -= amount;
        _accounts[to] += amount;
        return true;
    }
}
