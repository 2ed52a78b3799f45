using Ambrosia.Coordinator.Operations;


namespace Ambrosia.Cli.Verbs;

/// <summary>One look at an instance.</summary>
/// <param name="Status">What it says; null when nobody answers.</param>
/// <param name="Silence">What is known of it then: stopped, or no answer.</param>
internal readonly record struct TopLook(CoordinatorStatus? Status, string Silence);
