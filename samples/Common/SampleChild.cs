using System.Threading.Channels;

namespace Ambrosia.Samples;

/// <summary>The other end of <see cref="SampleProcess"/>: what the started process hears from the one that started it.</summary>
internal static class SampleChild
{
    private static readonly Channel<string> s_lines = Channel.CreateUnbounded<string>();

    /// <summary>What the starting process says, line by line.</summary>
    public static ChannelReader<string> Lines => s_lines.Reader;

    /// <summary>Ends this process with the one that started it.</summary>
    public static void EndWithParent()
    {
        var thread = new Thread(static () =>
        {
            while (Console.In.ReadLine() is { } line)
            {
                s_lines.Writer.TryWrite(line);
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
