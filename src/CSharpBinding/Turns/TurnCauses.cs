using Ambrosia.Protocol;

namespace Ambrosia.Runtime;

/// <summary>Tells causes of turns by method, and names them.</summary>
internal static class TurnCauses
{
    /// <summary>The cause of a turn that executes this message.</summary>
    public static TurnCause Of(in RpcHeader message) => message.Form != RpcForm.Call ? TurnCause.Reply : message.MethodId switch
    {
        ReservedMethods.TimerFire => TurnCause.Timer,
        ReservedMethods.EffectDone or ReservedMethods.EffectNote => TurnCause.Effect,
        ReservedMethods.ScheduleStep => TurnCause.Schedule,
        ReservedMethods.AwakeableDone => TurnCause.Awakeable,
        _ => TurnCause.Call,
    };

    /// <summary>What stands in a log scope in place of a method.</summary>
    public static string NameOf(TurnCause cause) => cause switch
    {
        TurnCause.Reply => "(reply)",
        TurnCause.Timer => "(timer)",
        TurnCause.Effect => "(effect)",
        TurnCause.Schedule => "(schedule)",
        TurnCause.Awakeable => "(awakeable)",
        _ => "(call)",
    };
}
