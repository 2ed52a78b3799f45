namespace Ambrosia.Cli.Running;

/// <summary>What a crew runs: a pair, or a program without a coordinator.</summary>
internal interface ICrewMember : IDisposable
{
    /// <summary>How often a process of it was started again.</summary>
    int Restarts { get; }

    /// <summary>Runs until it is done, gives up, or is stopped; returns its exit code.</summary>
    Task<int> RunAsync(CancellationToken cancellationToken);

    /// <summary>Stops it; said again, kills it.</summary>
    void Interrupt();
}
