using System.Diagnostics.CodeAnalysis;

namespace EndToEnd;

/// <summary>The ways in which a handler can be the end of its process.</summary>
[SuppressMessage("Ambrosia", "AMB101", Justification = "A message that harms its process has to do what handlers may not.")]
[SuppressMessage("Ambrosia", "AMB106", Justification = "A message that harms its process has to do what handlers may not.")]
[SuppressMessage("Ambrosia", "AMB124", Justification = "A message that harms its process has to do what handlers may not.")]
internal static class Poison
{
    /// <summary>Dies or blocks, unless somebody has put the antidote beside the gate.</summary>
    public static void Take(int how)
    {
        if (File.Exists(Gate.Path + ".immune"))
        {
            return;
        }

        switch (how)
        {
            case 0:
                Environment.FailFast("poison");
                break;
            case 1:
                Console.Error.WriteLine(Dive(how));
                break;
            case 2:
                Environment.Exit(7);
                break;
            case 3:
// What the runtime throws when memory is used up, without using it up on the machine that runs the tests.
#pragma warning disable CA2201
                throw new OutOfMemoryException();
#pragma warning restore CA2201
            default:
                Thread.Sleep(Timeout.Infinite);
                break;
        }
    }

    private static long Dive(long depth) => Dive(depth + 1) + Dive(depth + 2);
}
