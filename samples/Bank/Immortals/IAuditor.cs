using Ambrosia;

namespace Bank;

/// <summary>Keeps books of its own.</summary>
[ImmortalInterface]
public interface IAuditor
{
    /// <summary>Told by a shard, without waiting for an answer, whenever money moves on an account.</summary>
    void Record(string shard, long number, string account, decimal amount);

    [Impulse]
    AuditorReport Report();
}
