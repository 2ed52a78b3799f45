namespace Ambrosia.CoordinatorHost.Options;

/// <summary>The configuration is wrong. All that is wrong is said at once, one line each.</summary>
public sealed class OptionsException(IReadOnlyList<OptionError> errors)
    : Exception(string.Join(Environment.NewLine, errors))
{
    /// <summary>Everything that is wrong, in the order of the options.</summary>
    public IReadOnlyList<OptionError> Errors { get; } = errors;
}
