namespace Ambrosia;

/// <summary>One method of an immortal's interface, as callers see it.</summary>
/// <param name="Id">Number that stands for the method in messages; stable over reordering.</param>
/// <param name="Name">Its name.</param>
/// <param name="Signature">Result, name and parameter types as text.</param>
/// <param name="IsImpulse">True if it may be called from the outside world.</param>
public sealed record ImmortalMethod(int Id, string Name, string Signature, bool IsImpulse);
