using System.ComponentModel;

namespace Ambrosia.Runtime;

/// <summary>The result of what returns no value.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly record struct Nothing;
