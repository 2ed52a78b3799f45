namespace Ambrosia.Bench;

/// <summary>What a sending process reports of one run.</summary>
/// <param name="Messages">Messages that arrived and were executed, or calls that were answered.</param>
/// <param name="Seconds">From the first message to the last answer.</param>
/// <param name="RoundTrips">Times of single round trips, if only one was under way at a time.</param>
internal sealed record Outcome(long Messages, double Seconds, Percentiles? RoundTrips);
