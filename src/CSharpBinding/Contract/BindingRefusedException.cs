namespace Ambrosia;

/// <summary>The coordinator does not serve this app; its reason says what to do.</summary>
/// <param name="code">The coordinator's error code, IC-nnnn.</param>
/// <param name="reason">Its reason, one sentence.</param>
public class BindingRefusedException(string code, string reason)
    : Exception($"{code} {reason}")
{
    /// <summary>The coordinator's error code, IC-nnnn.</summary>
    public string Code { get; } = code;
}
