namespace Ambrosia.Protocol;

/// <summary>What an app tells about the effects of one method, for people.</summary>
/// <param name="Method">Interface and method.</param>
/// <param name="Pending">Effects that have no outcome.</param>
/// <param name="Running">Attempts that run.</param>
/// <param name="Attempts">Attempts that this process began.</param>
/// <param name="Failures">How many of them failed.</param>
/// <param name="Oldest">Key of the pending one that was asked for first, as <c>17:3:0</c>; "" if none is pending.</param>
/// <param name="Asked">When that was, in ticks of 100 ns since 0001-01-01 UTC; 0 if none is pending.</param>
/// <param name="LastError">Which effects are held and why the last attempt failed; "" if none is and none did, or none is pending.</param>
/// <param name="Held">Pending ones that are not performed, since they ended too many processes.</param>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed record EffectMethodTold(
    string Method, long Pending, long Running, long Attempts, long Failures, string Oldest, long Asked, string LastError, long Held)
{
    /// <summary>Longest text, in bytes.</summary>
    public const int MaxBytes = ToldText.MaxBytes;

    /// <summary>A text that may be told: cut, and without what acts on a terminal that it is shown at.</summary>
    public static string Clean(string text)
    {
        const int Most = MaxBytes / 4;
        return string.Create(Math.Min(text.Length, Most), text, static (span, from) =>
        {
            for (int i = 0; i < span.Length; i++)
            {
                span[i] = char.IsControl(from[i]) || char.IsSurrogate(from[i]) ? ' ' : from[i];
            }
        });
    }
}
