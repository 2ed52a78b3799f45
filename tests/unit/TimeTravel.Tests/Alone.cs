namespace Ambrosia.TimeTravel.Tests;

/// <summary>What is measured runs by itself, after everything else: other tests beside it would be measured, too.</summary>
[CollectionDefinition(nameof(Alone), DisableParallelization = true)]
public sealed class Alone;
