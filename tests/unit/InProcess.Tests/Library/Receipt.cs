namespace Ambrosia.InProcess.Tests.Library;

/// <summary>By its members, of which one is the library's.</summary>
public sealed record Receipt(int Number, Order Order);
