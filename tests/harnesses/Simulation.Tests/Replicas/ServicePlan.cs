namespace Ambrosia.Simulation.Tests;

/// <summary>What the service of one instance is like. Drawn from a source of its own, so that all other seeds do what they did
/// before.</summary>
internal sealed class ServicePlan
{
    public ServicePlan(int seed, int instance)
    {
        var random = new Random((int)Bits.Mix((ulong)seed, 0x5E12 + (ulong)instance));
        HasNumbers = random.Next(3) != 0;
        Kind = (ServiceKind)random.Next(2);
        IsSameMachine = random.Next(2) == 0;
    }

    /// <summary>Its coordinators are replicas that follow the log; else they only wait for each other's lease.</summary>
    public bool HasNumbers { get; }

    public ServiceKind Kind { get; }

    /// <summary>All coordinators are on one machine, and see that one of them is dead; else its leases have to end.</summary>
    public bool IsSameMachine { get; }

    public override string ToString() =>
        $"a service ({Kind}, {(HasNumbers ? "followed" : "waited for")}, {(IsSameMachine ? "one machine" : "several machines")})";
}
