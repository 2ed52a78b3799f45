using Ambrosia.Runtime;

namespace Ambrosia.CSharpBinding.Tests.State;

/// <summary>A state with an open awakeable.</summary>
internal sealed class SavedAwakeableNames
{
    /// <summary>It.</summary>
    public Awakeable<string>? Open { get; private set; }

    /// <summary>The roots of a checkpoint.</summary>
    public static object?[] Roots()
    {
        var calls = new PendingCalls();
        var cell = new AwakeableCell<string>();
        calls.Add(cell);
        return [new SavedAwakeableNames { Open = new Awakeable<string>(cell, "id", "url/id") }, calls];
    }
}
