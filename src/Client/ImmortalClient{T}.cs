namespace Ambrosia.Client;

/// <summary>Base of one generated client.</summary>
/// <typeparam name="TSelf">The generated client.</typeparam>
public abstract class ImmortalClient<TSelf> : ImmortalClient
    where TSelf : ImmortalClient<TSelf>, new()
{
    /// <summary>
    /// The same immortal for one call with a key of yours: it runs once however often it is sent, also by another process. Other arguments
    /// with the same key are refused.
    /// </summary>
    /// <param name="key">The key.</param>
    /// <exception cref="ArgumentException">It has no name, or says no time.</exception>
    public TSelf WithKey(CallKey key)
    {
        ArgumentNullException.ThrowIfNull(key);
        key.Check();
        return With<TSelf>(key);
    }
}
