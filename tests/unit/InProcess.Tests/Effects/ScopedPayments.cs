namespace Ambrosia.InProcess.Tests.Effects;

/// <summary>A service for one attempt, which notices if it is used after it was disposed of. Each but the second attempt fails.</summary>
internal sealed class ScopedPayments : IPayments, IAsyncDisposable
{
    public int Disposed { get; private set; }

    public bool WasUsedAfterwards { get; private set; }

    public async Task<string> Charge(string card, decimal amount, EffectContext effect)
    {
        await Task.Delay(TimeSpan.FromSeconds(1), effect.Time, effect.Cancellation);
        WasUsedAfterwards |= Disposed > 0;
        return effect.Attempt == 2 ? $"{amount} by {card}" : throw new IOException("busy");
    }

    public Task Mail(string to, string text, EffectContext effect) => throw new NotSupportedException();

    public Task<int> Step(int number, EffectContext effect) => throw new NotSupportedException();

    public string Large(int size, EffectContext effect) => throw new NotSupportedException();

    public ValueTask DisposeAsync()
    {
        Disposed++;
        return default;
    }
}
