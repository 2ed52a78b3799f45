namespace Bank;

/// <summary>One account of a shard.</summary>
public sealed class Account
{
    public decimal Balance { get; set; }

    /// <summary>
    /// Amount of the transfers that wait for the other shard. A handler adds to it before its await and subtracts after it, through the
    /// same local variable: if that variable ever pointed to a copy after a recovery, this would not come back to zero.
    /// </summary>
    public decimal UnderWay { get; set; }
}
