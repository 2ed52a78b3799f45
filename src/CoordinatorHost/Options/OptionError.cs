namespace Ambrosia.CoordinatorHost.Options;

/// <summary>One thing that is wrong with the configuration.</summary>
/// <param name="Error">One of <see cref="ProcessErrors"/>.</param>
/// <param name="What">What is wrong.</param>
/// <param name="Where">Which option, and where its value comes from.</param>
/// <param name="Advice">What would be right.</param>
public sealed record OptionError(ErrorCode Error, string What, string Where, string Advice)
{
    /// <summary>Its code as text.</summary>
    public string Code => Error.Id;

    /// <summary>The line for people: what, where, what is safe, what to do.</summary>
    public override string ToString() => $"{Error} {What} | {Where} | nothing was started or touched | {Advice}";
}
