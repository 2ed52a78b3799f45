namespace Ambrosia;

/// <summary>One method of an immortal's interface, as callers see it.</summary>
/// <param name="Id">Number that stands for the method in messages; stable over reordering.</param>
/// <param name="Name">Its name.</param>
/// <param name="Signature">Result, name and parameter types as text.</param>
/// <param name="IsImpulse">True if it may be called from the outside world.</param>
/// <param name="IsQuery">True if it only reads and may be asked without being logged.</param>
/// <param name="ParameterCount">How many parameters it has; 0 where the generator did not say, which only queries need.</param>
public sealed record ImmortalMethod(int Id, string Name, string Signature, bool IsImpulse, bool IsQuery = false, int ParameterCount = 0);
