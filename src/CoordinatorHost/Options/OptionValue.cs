namespace Ambrosia.CoordinatorHost.Options;

/// <summary>The text of an option and where it was found.</summary>
internal readonly record struct OptionValue(string Text, string Origin);
