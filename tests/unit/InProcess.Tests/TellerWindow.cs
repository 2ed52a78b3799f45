namespace Ambrosia.InProcess.Tests;

/// <summary>Where the test's own threads reach the teller, once there is one.</summary>
public sealed class TellerWindow
{
    private static readonly TimeSpan s_patience = TimeSpan.FromMinutes(2);
    private readonly TaskCompletionSource<Func<string, string, decimal, Task<decimal>>> _open =
        new(TaskCreationOptions.RunContinuationsAsynchronously);

    public void Open(Func<string, string, decimal, Task<decimal>> pay) => _open.TrySetResult(pay);

    public async Task<decimal> PayAsync(string bank, string account, decimal amount)
    {
        Func<string, string, decimal, Task<decimal>> pay = await _open.Task.WaitAsync(s_patience);
        return await pay(bank, account, amount).WaitAsync(s_patience);
    }
}
