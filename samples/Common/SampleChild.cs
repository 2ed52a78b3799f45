namespace Ambrosia.Samples;

/// <summary>The other end of <see cref="SampleProcess"/>: what the started process hears from the one that started it.</summary>
internal static class SampleChild
{
    /// <summary>Ends this process with the one that started it; until then gives it the lines that come.</summary>
    /// <param name="onLine">Called on a thread of its own.</param>
    public static void EndWithParent(Action<string>? onLine = null)
    {
        var thread = new Thread(() =>
        {
            while (Console.In.ReadLine() is { } line)
            {
                onLine?.Invoke(line);
            }

            Environment.Exit(0);
        })
        {
            IsBackground = true,
            Name = "parent",
        };
        thread.Start();
    }
}
