namespace Ambrosia.Runtime;

/// <summary>An awakeable that is open. No reply completes it, whatever its number: only a completion from outside does.</summary>
internal interface IPendingAwakeable : IPendingCall;
