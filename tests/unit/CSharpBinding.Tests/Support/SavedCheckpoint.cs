using Ambrosia.Primitives;

namespace Ambrosia.CSharpBinding.Tests.Support;

/// <summary>What the scripted coordinator keeps of a checkpoint: the app's bytes, the LSN, and how much was sent to whom before
/// it.</summary>
internal sealed record SavedCheckpoint(ulong Lsn, byte[] Bytes, IReadOnlyDictionary<string, int> Sent);
