namespace Ambrosia.CoordinatorHost.Gateway;

/// <summary>The end of one try.</summary>
/// <param name="Outcome">What became of it.</param>
/// <param name="Answer">What the instance said; null if it said nothing.</param>
/// <param name="Reason">Why there is no answer.</param>
internal readonly record struct TryResult(TryOutcome Outcome, InstanceAnswer? Answer, string Reason = "");
