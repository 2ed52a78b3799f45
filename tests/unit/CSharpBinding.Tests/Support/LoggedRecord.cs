using Ambrosia.Primitives;

namespace Ambrosia.CSharpBinding.Tests.Support;

/// <summary>One record of the scripted coordinator's log.</summary>
internal sealed record LoggedRecord(ulong Lsn, ulong Epoch, long Timestamp, int Count, byte[] Payload);
