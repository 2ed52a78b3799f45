using Ambrosia;

namespace TypeScriptClient;

/// <summary>One of two.</summary>
[Union(1, typeof(Circle)), Union(2, typeof(Box))]
public abstract record Shape;
