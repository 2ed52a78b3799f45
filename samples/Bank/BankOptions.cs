using System.Globalization;
using Ambrosia.Primitives;

namespace Bank;

/// <summary>What the command line asks for.</summary>
internal sealed record BankOptions
{
    public const int UsageError = 64;

    /// <summary>Time of work before the audit. Default 10 s.</summary>
    public TimeSpan Duration { get; private set; } = TimeSpan.FromSeconds(10);

    /// <summary>Whether processes are killed during that time. Default no.</summary>
    public bool Chaos { get; private set; }

    /// <summary>Chooses what is killed, and when. Default: by the clock; printed.</summary>
    public int Seed { get; private set; } = (int)(TimeProvider.System.GetUtcNow().Ticks & 0xFFFFF);

    public bool WantsHelp { get; private set; }

    /// <summary>Reads the command line.</summary>
    /// <param name="args">The arguments.</param>
    /// <param name="options">The options.</param>
    /// <param name="text">Help or complaint, if false is returned.</param>
    public static bool TryParse(string[] args, out BankOptions options, out string text)
    {
        options = new BankOptions();
        text = "";
        for (int i = 0; i < args.Length; i++)
        {
            string value = i + 1 < args.Length ? args[i + 1] : "";
            bool isNumber = int.TryParse(value, NumberStyles.None, CultureInfo.InvariantCulture, out int number) && number > 0;
            switch (args[i])
            {
                case "--chaos" or "--seconds" when isNumber && number <= 86400:
                    options.Duration = TimeSpan.FromSeconds(number);
                    options.Chaos |= args[i] == "--chaos";
                    i++;
                    break;
                case "--seed" when isNumber:
                    options.Seed = number;
                    i++;
                    break;
                case "-h" or "--help":
                    options.WantsHelp = true;
                    text = Help;
                    return false;
                default:
                    text = args[i] is "--chaos" or "--seconds" or "--seed" ? $"{args[i]} needs a whole number, as in {args[i]} 60."
                        : $"There is no option {args[i]}.\n\n{Help}";
                    return false;
            }
        }

        return true;
    }

    private const string Help = """
        A bank of five immortals: two shards, an auditor and two clients, ten processes in all. Every message between them is numbered, and at the
        end the books are audited.

        Usage: dotnet run --project samples/Bank -- [options]

          --chaos <seconds>    Kill processes with SIGKILL at random for so long: coordinators, apps, pairs, everything at once.
          --seconds <seconds>  Work for so long without killing anything (default: 10).
          --seed <number>      Repeat the choices of an earlier run.
        """;
}
