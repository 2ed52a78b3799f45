namespace Ambrosia.Runtime;

/// <summary>What awakeables need of the immortal that they belong to.</summary>
internal interface IAwakeableRuntime
{
    /// <summary>The calls that await their replies, and open awakeables among them.</summary>
    PendingCalls PendingCalls { get; }
}
