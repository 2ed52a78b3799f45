namespace Ambrosia.CoordinatorHost.Options;

/// <summary>One thing that is wrong with the configuration.</summary>
/// <param name="Code">IC-1001 to IC-1009.</param>
/// <param name="What">What is wrong.</param>
/// <param name="Where">Which option, and where its value comes from.</param>
/// <param name="Advice">What would be right.</param>
public sealed record OptionError(string Code, string What, string Where, string Advice)
{
    /// <summary>The line for people: what, where, what is safe, what to do.</summary>
    public override string ToString() => $"{Code} {What} | {Where} | nothing was started or touched | {Advice}";
}
