using Ambrosia.Protocol;
using Ambrosia.TimeTravel.Link;
using Ambrosia.TimeTravel.Log;

namespace Ambrosia.TimeTravel.Debugging;

/// <summary>What one message made.</summary>
/// <param name="Message">The message.</param>
/// <param name="Outputs">What the app sent because of it.</param>
/// <param name="Faults">What its handler threw, if nobody waits for it.</param>
/// <param name="Asked">Effects that it asked for; they are not performed.</param>
/// <param name="Differences">How the state changed.</param>
public sealed record MessageEffect(
    LoggedMessage Message, IReadOnlyList<SentMessage> Outputs, IReadOnlyList<AppFault> Faults, IReadOnlyList<EffectAsked> Asked,
    IReadOnlyList<StateDifference> Differences);
