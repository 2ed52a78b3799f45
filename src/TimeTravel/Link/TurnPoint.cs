namespace Ambrosia.TimeTravel.Link;

/// <summary>Turns up to here have ended.</summary>
/// <param name="Lsn">The record.</param>
/// <param name="MessagesDone">Messages of it that have been executed.</param>
/// <param name="RunsEnd">Runs that had been sent by then.</param>
internal readonly record struct TurnPoint(ulong Lsn, int MessagesDone, int RunsEnd);
