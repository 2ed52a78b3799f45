using MessagePack;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace Ambrosia.Testing;

/// <summary>How the world of an <see cref="ImmortalTestHost"/> is.</summary>
public sealed class ImmortalTestOptions
{
    /// <summary>Decides in which order things happen that may happen in any order. The same seed gives the same run. Default 1.</summary>
    public int Seed { get; set; } = 1;

    /// <summary>Virtual time that may pass while the test awaits an answer or rest; then the wait fails. Default 1 minute.</summary>
    public TimeSpan Patience { get; set; } = TimeSpan.FromMinutes(1);

    /// <summary>Steps that one wait may take: the end of immortals that keep each other busy for ever. Default 10 million.</summary>
    public long StepLimit { get; set; } = 10_000_000;

    /// <summary>Bytes of log after which a checkpoint is taken by itself. Default 64 KiB: small, so that tests meet checkpoints.</summary>
    public long CheckpointEvery { get; set; } = 64 << 10;

    /// <summary>Receives what the immortals and coordinators log. Default: nobody.</summary>
    public ILoggerFactory LoggerFactory { get; set; } = NullLoggerFactory.Instance;

    /// <summary>What <see cref="ImmortalContext.Services"/> is, and what constructors of immortals are given. Default none.</summary>
    public IServiceProvider? Services { get; set; }

    /// <summary>
    /// What <see cref="ImmortalOptions.Resolver"/> is for the calls that the test makes. Default null: the standard one alone.
    /// </summary>
    public IFormatterResolver? Resolver { get; set; }
}
