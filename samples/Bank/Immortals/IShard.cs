using Ambrosia;

namespace Bank;

/// <summary>One half of the bank.</summary>
[ImmortalInterface]
public interface IShard
{
    /// <summary>Moves money; the receipt comes when it has arrived.</summary>
    Receipt Transfer(string client, long number, Order order);

    /// <summary>Something that a client tells without waiting for an answer.</summary>
    void Note(string client, long number, string text);

    /// <summary>Money that comes from the other shard.</summary>
    bool Credit(string shard, long number, string account, decimal amount);

    [Impulse]
    ShardReport Report();
}
