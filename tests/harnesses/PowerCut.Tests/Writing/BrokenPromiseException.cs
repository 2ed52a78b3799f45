namespace Ambrosia.PowerCut.Tests.Writing;

/// <summary>After a power cut something is missing, changed or invented.</summary>
internal sealed class BrokenPromiseException(string what) : Exception(what);
