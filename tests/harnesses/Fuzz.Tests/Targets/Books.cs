namespace Ambrosia.Fuzz.Tests.Targets;

/// <summary>One kind of content.</summary>
public sealed record Books(string[] Titles, HashSet<long> Numbers) : Content;
