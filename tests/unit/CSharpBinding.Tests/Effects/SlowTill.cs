namespace Ambrosia.CSharpBinding.Tests.Effects;

/// <summary>Performs effects, and is to be disposed of asynchronously: which of both it was, and when.</summary>
internal sealed class SlowTill : IPay, IAsyncDisposable, IDisposable
{
    private int _inside;

    public int Disposed { get; private set; }

    public bool DisposedWhileUsed { get; private set; }

    public bool DisposedSynchronously { get; private set; }

    public async Task<string> Charge(int amount, EffectContext effect)
    {
        Interlocked.Increment(ref _inside);
        await Task.Yield();
        Interlocked.Decrement(ref _inside);
        return $"paid {amount}";
    }

    public void Dispose() => DisposedSynchronously = true;

    public ValueTask DisposeAsync()
    {
        Disposed++;
        DisposedWhileUsed |= Volatile.Read(ref _inside) > 0;
        return default;
    }
}
