namespace Ambrosia.Cli.Commands;

/// <summary>Exit codes of the command (the numbers of sysexits.h).</summary>
public enum CommandExit
{
    /// <summary>Done.</summary>
    Done = 0,

    /// <summary>The command line is wrong.</summary>
    Usage = 64,

    /// <summary>Two versions, or two runs, did not do the same; or something is wrong with what was examined.</summary>
    Different = 65,

    /// <summary>There is no such instance or entry.</summary>
    NotFound = 66,

    /// <summary>The coordinator does not answer at its admin address.</summary>
    Unavailable = 69,

    /// <summary>It could not be done; the text says why.</summary>
    Failed = 70,

    /// <summary>Not now: the instance is running, or nobody confirmed.</summary>
    Refused = 75,

    /// <summary>Ctrl+C or SIGTERM ended it before it was done.</summary>
    Interrupted = 130,
}
