using System.Runtime.InteropServices;

namespace Ambrosia.Runtime;

/// <summary>
/// What people are told of a pending call: to whom it went, and in which turn. It is no state: checkpoints hold nothing of it, so a call
/// that was read from one has none.
/// </summary>
/// <param name="Destination">The instance that is called; "" for the immortal itself.</param>
/// <param name="MethodId">The method that is called.</param>
/// <param name="Lsn">Record of the message whose turn made the call; 0 if that is not known.</param>
/// <param name="Index">Index of that message in its record.</param>
/// <param name="LogTicks">Log time of that turn.</param>
[StructLayout(LayoutKind.Auto)]
internal readonly record struct CallNote(string? Destination, int MethodId, ulong Lsn, int Index, long LogTicks);
