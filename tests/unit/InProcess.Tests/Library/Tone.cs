namespace Ambrosia.InProcess.Tests.Library;

/// <summary>A type for whose formatter the resolver throws.</summary>
public sealed class Tone;
