using Ambrosia.Primitives.Loops;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace Ambrosia.LogStore.Settings;

/// <summary>What a log uses beside its storage: a simulator replaces all of it.</summary>
public class LogServices
{
    /// <summary>Where the log's own loops run. Default: one thread each.</summary>
    public ILoopRunner Loops { get; init; } = new ThreadLoopRunner();

    /// <summary>Clock of record timestamps and of the identity checks. Default: the system's.</summary>
    public TimeProvider Time { get; init; } = TimeProvider.System;

    /// <summary>Randomness for instance ids. Default: the operating system's.</summary>
    public IEntropy Entropy { get; init; } = new SystemEntropy();

    /// <summary>What ends the process after a failed sync. Default: one line, then _exit.</summary>
    public IFatal Fatal { get; init; } = new ProcessFatal();

    /// <summary>Receives events 2000 to 2999. Default: nobody.</summary>
    public ILogger Logger { get; init; } = NullLogger.Instance;

    /// <summary>Decides in a test which thread moves next where several meet.</summary>
    internal IPageProbe? Probe { get; init; }
}
