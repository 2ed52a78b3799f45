namespace Ambrosia.Cli.Running;

/// <summary>Passes on what a process writes, line by line. A line that does not end fills no memory: it is passed on in pieces.</summary>
internal static class OutputLines
{
    /// <summary>Most characters that are passed on at once.</summary>
    public const int Longest = 64 * 1024;

    /// <summary>Reads until everybody has closed the other end, or this end is closed.</summary>
    public static async Task PassAsync(TextReader output, Action<string> pass)
    {
        var buffer = new char[Longest];
        int held = 0; // Characters of a line whose end has not been read.
        bool afterReturn = false; // The line feed after it ends no line of its own.
        try
        {
            while (await output.ReadAsync(buffer.AsMemory(held)) is > 0 and var read)
            {
                int line = 0;
                for (int i = held; i < held + read; i++)
                {
                    if (buffer[i] is not ('\n' or '\r'))
                    {
                        afterReturn = false;
                        continue;
                    }

                    if (!(buffer[i] == '\n' && afterReturn))
                    {
                        pass(new string(buffer, line, i - line));
                    }

                    afterReturn = buffer[i] == '\r';
                    line = i + 1;
                }

                held = Keep(buffer, line, held + read, pass);
            }
        }
        catch (Exception closed) when (closed is IOException or ObjectDisposedException or OperationCanceledException)
        {
            // Nobody wants to know more.
        }

        if (held > 0)
        {
            pass(new string(buffer, 0, held));
        }
    }

    // What was read of a line that goes on; if there is no room for more of it, it is passed on but for half a character.
    private static int Keep(char[] buffer, int from, int to, Action<string> pass)
    {
        if (from == 0 && to == buffer.Length)
        {
            from = char.IsHighSurrogate(buffer[^1]) ? to - 1 : to;
            pass(new string(buffer, 0, from));
        }

        buffer.AsSpan(from, to - from).CopyTo(buffer);
        return to - from;
    }
}
