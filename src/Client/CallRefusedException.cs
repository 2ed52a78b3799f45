namespace Ambrosia.Client;

/// <summary>
/// A coordinator has refused a call, and trying again would not help. <see cref="Code"/> says what is wrong; docs/operate/errors.md has all
/// of them.
/// </summary>
public sealed class CallRefusedException : Exception
{
    /// <summary>A refusal.</summary>
    /// <param name="code">Its code, such as <c>IC-7010</c>; empty if it came from something else than a coordinator.</param>
    /// <param name="message">What is wrong.</param>
    /// <param name="isFinal">Whether each repeat with the same key is told the same.</param>
    /// <param name="inner">What gRPC said.</param>
    public CallRefusedException(string code, string message, bool isFinal, Exception? inner = null)
        : base(message, inner) => (Code, IsFinal) = (code, isFinal);

    /// <summary>Its code, such as <c>IC-7010</c>; empty if it came from something else than a coordinator, such as a proxy.</summary>
    public string Code { get; }

    /// <summary>Whether each repeat with the same key is told the same.</summary>
    public bool IsFinal { get; }

    /// <summary>
    /// With IC-7028 and IC-7022 the id of the immortal that is there now, for <see cref="CallKey.InstanceId"/>; else null.
    /// </summary>
    public string? InstanceId { get; init; }
}
