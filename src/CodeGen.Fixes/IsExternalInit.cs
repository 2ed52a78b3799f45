namespace System.Runtime.CompilerServices;

/// <summary>What the compiler looks for to allow records and init accessors; .NET Standard 2.0 does not have it.</summary>
internal static class IsExternalInit;
