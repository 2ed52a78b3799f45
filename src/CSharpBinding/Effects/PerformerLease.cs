using Microsoft.Extensions.DependencyInjection;

namespace Ambrosia.Runtime;

/// <summary>What performs one attempt; to be given back when the attempt has ended.</summary>
/// <param name="Performer">An object that implements the interface.</param>
/// <param name="Scope">The scope of the host's services that it comes from; null if it was made for the whole app.</param>
internal readonly record struct PerformerLease(object Performer, AsyncServiceScope? Scope);
