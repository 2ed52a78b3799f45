namespace Ambrosia.PowerCut.Tests.Writing;

/// <summary>When the power goes in one life: at a passing of one call, or at a moment.</summary>
/// <param name="Call">Call and kind of file to cut at, such as <c>fdatasync segment</c>; null to go by time only.</param>
/// <param name="Passing">Which passing of it.</param>
/// <param name="Place">Before it, while it runs, or after it.</param>
/// <param name="Micros">Microseconds after the start (by time), or after the beginning of the call.</param>
internal sealed record PowerPlan(string? Call, int Passing, CutPlace Place, int Micros)
{
    /// <summary>Whether no cut has met that call yet: it is worth waiting for, also where others take the processors.</summary>
    public bool IsUnseen { get; init; }
}
