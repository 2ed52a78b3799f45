namespace Ambrosia.InProcess.Tests;

/// <summary>Takes money from the outside world to a bank.</summary>
[ImmortalInterface]
public interface ITeller
{
    [Impulse]
    decimal Pay(string bank, string account, decimal amount);
}
