namespace Ambrosia.CSharpBinding.Tests.Runtime;

internal sealed class NoMoneyException(int missing, string[] accounts) : Exception($"{missing} missing")
{
    public int Missing { get; } = missing;

    public string Currency { get; init; } = "";

    public IReadOnlyList<string> Accounts { get; } = accounts;
}
