namespace Ambrosia;

/// <summary>What <see cref="Immortal.BecomingPrimary"/> is given: the way to the outside world.</summary>
public sealed class ImmortalContext
{
    internal ImmortalContext(string instanceName, IServiceProvider? services, TimeProvider time, ulong epoch, CancellationToken stopping)
    {
        InstanceName = instanceName;
        Services = services;
        Time = time;
        Epoch = epoch;
        Stopping = stopping;
    }

    /// <summary>Name of this immortal.</summary>
    public string InstanceName { get; }

    /// <summary>Services of the app's host, if it has one. Handlers must not use them: what they return is not in the log.</summary>
    public IServiceProvider? Services { get; }

    /// <summary>Wall clock; for use outside of handlers.</summary>
    public TimeProvider Time { get; }

    /// <summary>Number of this leadership; it grows with every start.</summary>
    public ulong Epoch { get; }

    /// <summary>Cancelled when this process stops acting for the immortal: end threads and listeners then.</summary>
    public CancellationToken Stopping { get; }
}
