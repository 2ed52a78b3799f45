using Ambrosia.CoordinatorHost.Shapes;

namespace Ambrosia.CoordinatorHost.Ingress;

/// <summary>Asks the app a query.</summary>
/// <param name="method">The query.</param>
/// <param name="arguments">Its arguments, as the app reads them.</param>
/// <param name="atLeast">The record that must have been executed before.</param>
/// <param name="wait">How long to wait for that.</param>
/// <param name="stop">Waits no longer.</param>
/// <returns>The result, and the record after which it was true.</returns>
/// <exception cref="ProblemException">There is no result.</exception>
internal delegate Task<(IngressOutcome Outcome, ulong Record)> AskQuery(
    MethodShape method, byte[] arguments, ulong atLeast, TimeSpan wait, CancellationToken stop);
