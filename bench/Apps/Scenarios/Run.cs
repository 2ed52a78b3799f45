using Ambrosia.Bench.Processes;

namespace Ambrosia.Bench.Scenarios;

/// <summary>Something that is measured beside others: its processes, and what runs once for as many seconds as it is told.</summary>
internal sealed record Run(string Name, IReadOnlyList<Child> Processes, Func<double, Task<Outcome>> Once);
