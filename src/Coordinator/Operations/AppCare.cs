using Ambrosia.Coordinator.Ingest;
using Ambrosia.Coordinator.Sessions;


namespace Ambrosia.Coordinator.Operations;

/// <summary>What looks after the app of a process that serves, and what a person can do about it. A follower has none.</summary>
internal sealed record AppCare(TurnWatchdog Watchdog, LimitWatch Limits, DeadLetterService DeadLetters);
