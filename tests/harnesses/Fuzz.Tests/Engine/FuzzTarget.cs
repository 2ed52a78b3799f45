using Ambrosia.Protocol;

namespace Ambrosia.Fuzz.Tests.Engine;

/// <summary>One parser with the properties that it owes for every input. Used by one thread at a time; each thread makes its own.</summary>
internal abstract class FuzzTarget
{
    /// <summary>What an input that was read in full counts as.</summary>
    public const string Accepted = "accepted";

    /// <summary>What an input counts as that may be the beginning of something longer.</summary>
    public const string Incomplete = "more bytes needed";

    /// <summary>Name in reports, of the corpus file, and in the command that repeats an input.</summary>
    public abstract string Name { get; }

    /// <summary>Share of all inputs: cheap parsers of hostile bytes get more.</summary>
    public virtual int Weight => 8;

    /// <summary>Largest input in bytes.</summary>
    public virtual int Largest => 512;

    /// <summary>Bytes that reading may allocate whatever the input.</summary>
    public virtual long AllocationBase => 8 * 1024;

    /// <summary>Bytes that reading may allocate for each byte of input.</summary>
    public virtual int AllocationFactor => 32;

    /// <summary>Words of the format, for the mutator.</summary>
    public virtual IReadOnlyList<byte[]> Words => [];

    /// <summary>Valid inputs, and published ones that are not.</summary>
    public abstract IEnumerable<byte[]> Seeds();

    /// <summary>Puts checksums right, so that what lies behind them is reached.</summary>
    public virtual void Repair(Span<byte> input)
    {
    }

    /// <summary>Reads the input and checks its properties. Returns what it counts as; a refusal is the documented exception.</summary>
    public abstract string Run(ReadOnlyMemory<byte> input, FuzzRandom random);

    /// <summary>The reason of a documented refusal; null for any other exception, which is a finding.</summary>
    public virtual string? ReasonOf(Exception error) => (error as ProtocolException)?.Rule;

    /// <summary>Fails the input.</summary>
    protected static void Require(bool holds, string property)
    {
        if (!holds)
        {
            throw new PropertyBrokenException(property);
        }
    }
}
