using Ambrosia.Hosting;
using Ambrosia.Testing.Virtual;

namespace Ambrosia.Testing;

/// <summary>An app that is to take the place of a node's.</summary>
internal sealed class Successor(VirtualProcess process, Func<Immortal> create, ImmortalOptions options)
{
    public VirtualProcess Process => process;

    public Func<Immortal> Create => create;

    public ImmortalOptions Options => options;

    /// <summary>The object that was made last: the one that acts, once one does.</summary>
    public Immortal? Immortal { get; private set; }

    /// <summary>Where its own continuations run.</summary>
    public SynchronizationContext? Context { get; set; }

    /// <summary>Why it does not serve; null while that is not known.</summary>
    public string? Failure { get; private set; }

    /// <summary>It is the node's app from now on.</summary>
    public bool IsInstalled { get; set; }

    /// <summary>It acts.</summary>
    public bool Serves => Immortal is { } immortal && HostedImmortal.IsPrimary(immortal);

    public Immortal Make() => Immortal = create();

    public void Fail(string reason) => Failure ??= reason;
}
