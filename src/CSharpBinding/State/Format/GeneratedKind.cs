namespace Ambrosia.Runtime;

/// <summary>What the compiler made a nested type for.</summary>
internal enum GeneratedKind : byte
{
    None = 0,

    /// <summary>A suspended async method or an iterator: its fields and its MoveNext must be the same to resume it.</summary>
    StateMachine = 1,

    /// <summary>Captured variables, or the class of lambdas that capture nothing: its fields must be the same.</summary>
    Closure = 2,
}
