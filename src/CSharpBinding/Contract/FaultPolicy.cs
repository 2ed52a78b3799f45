namespace Ambrosia;

/// <summary>What happens when the handler of a fork or an impulse throws. (The exception of an awaited call goes to its caller.)</summary>
public enum FaultPolicy
{
    /// <summary>The fault is reported and counted; the next message is handled. The default.</summary>
    Continue,

    /// <summary>The app stops; it meets the same message after its restart, until the code is mended or the message is taken out.</summary>
    Stop,
}
