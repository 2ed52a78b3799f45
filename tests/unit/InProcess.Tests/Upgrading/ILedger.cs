namespace Ambrosia.InProcess.Tests.Upgrading;

/// <summary>What every version of the ledger offers.</summary>
[ImmortalInterface]
public interface ILedger
{
    long Add(long amount);

    long Total();

    /// <summary>Its body is the same in both versions.</summary>
    long Later(TimeSpan after, long amount);

    /// <summary>Its body is another one in the second version.</summary>
    long Changed(TimeSpan after, long amount);

    /// <summary>As well, but the second version keeps the old one, too.</summary>
    long Kept(TimeSpan after, long amount);
}
