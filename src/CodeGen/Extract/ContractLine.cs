namespace Ambrosia.CodeGen.Extract;

/// <summary>One method in the contract file.</summary>
/// <param name="Interface">Full name of its interface.</param>
/// <param name="Id">Its number.</param>
/// <param name="Signature">Name and parameter types.</param>
/// <param name="Result">Type of the result; <c>void</c> if none.</param>
public sealed record ContractLine(string Interface, int Id, string Signature, string Result);
