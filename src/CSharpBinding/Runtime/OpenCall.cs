using System.Diagnostics;

namespace Ambrosia.Runtime;

/// <summary>A handler that somebody watches, from its beginning to its outcome.</summary>
/// <param name="Method">Interface and method.</param>
/// <param name="Began">Timestamp of its beginning; null if its duration is not measured.</param>
/// <param name="Span">Its span; null if it is not traced.</param>
internal readonly record struct OpenCall(string Method, long? Began, Activity? Span);
