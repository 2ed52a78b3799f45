namespace Ambrosia.Protocol;

/// <summary>Bits by which Hello and Welcome agree on what not every binding can do.</summary>
public static class BindingFeatures
{
    /// <summary>The binding takes records in steps, and says which message it begins.</summary>
    public const ulong Steps = 1;
}
