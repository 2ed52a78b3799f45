namespace Ambrosia.CodeGen.Model;

/// <summary>A parameter of a method of an immortal interface.</summary>
/// <param name="Name">Its name as written.</param>
/// <param name="Type">Its type as C#, with nullable annotations.</param>
/// <param name="Formatter">The formatter as C#.</param>
/// <param name="Default">The default value as C#, or null.</param>
/// <param name="IsParams">Whether it takes any number of arguments.</param>
/// <param name="Size">What it adds to the estimate of the message's size, as C#.</param>
public sealed record ParameterModel(string Name, string Type, string Formatter, string? Default, bool IsParams, string Size)
{
    /// <summary>What it is when a caller from outside leaves it out, as JSON; null if it must be sent.</summary>
    public string? JsonDefault { get; init; }
}
