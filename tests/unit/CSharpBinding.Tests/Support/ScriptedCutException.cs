namespace Ambrosia.CSharpBinding.Tests.Support;

/// <summary>The scripted coordinator stopped reading at the byte it was told to.</summary>
public sealed class ScriptedCutException() : Exception("The connection was cut as the test wanted.");
