namespace Ambrosia.Coordinator.Sessions;

/// <summary>A question to the app that is not logged and changes nothing.</summary>
/// <param name="Rpc">The call, in delivery form.</param>
/// <param name="AtLeast">Record that must have been executed before it is answered; 0: any.</param>
public sealed record AppQuery(byte[] Rpc, ulong AtLeast);
