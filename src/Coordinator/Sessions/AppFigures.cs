using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.Sessions;

/// <summary>What an app told last about itself, for people. Only one that acts tells.</summary>
internal sealed class AppFigures
{
    /// <summary>Its effects, by method.</summary>
    public IReadOnlyList<EffectMethodTold> Effects { get; private set; } = [];

    /// <summary>Its schedules and compensations.</summary>
    public RoutinesTold Routines { get; private set; } = new([], []);

    /// <summary>It tells how its effects stand.</summary>
    /// <exception cref="ProtocolException">It does not act.</exception>
    public void Take(EffectsTold told, bool acts) =>
        Effects = acts ? told.Methods : throw new ProtocolException("effects before BecomingPrimary", 0);

    /// <summary>It tells how its schedules and compensations stand.</summary>
    /// <exception cref="ProtocolException">It does not act.</exception>
    public void Take(RoutinesTold told, bool acts) =>
        Routines = acts ? told : throw new ProtocolException("schedules before BecomingPrimary", 0);
}
