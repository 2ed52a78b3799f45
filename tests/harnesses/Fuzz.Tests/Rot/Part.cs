using Ambrosia.Primitives;

namespace Ambrosia.Fuzz.Tests.Rot;

/// <summary>What a stretch of a file is.</summary>
internal sealed record Part(string File, PartKind Kind, long Start, long Length, ulong Lsn);
