namespace Ambrosia.Runtime;

/// <summary>One effect with its arguments: performs it by an object that implements its interface.</summary>
/// <returns>The encoded result; empty if there is none.</returns>
/// <exception cref="EffectResultException">It was performed, but the result cannot be encoded.</exception>
internal delegate Task<ReadOnlyMemory<byte>> EffectCall(object performer, EffectContext effect);
