namespace Ambrosia.Tests.Common;

/// <summary>A span that was exported.</summary>
/// <param name="Service">Name of the instance that sent it.</param>
/// <param name="TraceId">Its trace, in hexadecimal digits.</param>
/// <param name="ParentId">Its parent, in hexadecimal digits.</param>
/// <param name="Name">What it is.</param>
/// <param name="Start">Nanoseconds since 1970.</param>
/// <param name="End">Nanoseconds since 1970.</param>
/// <param name="Attributes">Its attributes that are text.</param>
internal sealed record OtlpSpan(
    string Service, string TraceId, string ParentId, string Name, ulong Start, ulong End, IReadOnlyDictionary<string, string> Attributes);
