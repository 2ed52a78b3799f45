namespace Ambrosia.Builds;

/// <summary>A handler as a build has it.</summary>
/// <param name="Id">Number of the method in messages.</param>
/// <param name="Name">Its name.</param>
/// <param name="Signature">Result, name and parameter types as text.</param>
/// <param name="Code">Hash of all own code that it can reach; "" where no code can be read.</param>
/// <param name="Awaits">Whether some of that code awaits.</param>
/// <param name="Types">Names of the types that its arguments consist of, in <see cref="BuildManifest.Types"/>.</param>
internal sealed record BuildMethod(int Id, string Name, string Signature, string Code, bool Awaits, IReadOnlyList<string> Types)
{
    /// <summary>Name and parameter types, which must fit the bytes of a message.</summary>
    public string Call => Signature.Split(" -> ")[0];
}
