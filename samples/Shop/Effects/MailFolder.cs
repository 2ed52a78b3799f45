using Ambrosia;

namespace Shop.Effects;

/// <summary>Puts letters into a folder, in files with the name of their effect: a repeat writes the same letter over itself.</summary>
internal sealed class MailFolder(string folder, TimeSpan answerTime) : IMail
{
    private readonly Attempts _attempts = new(AttemptsOf(folder));

    public async Task Send(string to, string subject, string text, EffectContext effect)
    {
        Directory.CreateDirectory(folder);
        _attempts.Add(effect.Id);
        string letter = $"""
            From: shop@example.org
            To: {OneLine(to)}
            Subject: {OneLine(subject)}
            Message-ID: {effect.Id}

            {text}

            """;
        string draft = Path.Combine(folder, $".{Guid.NewGuid()}");
        await File.WriteAllTextAsync(draft, letter, effect.Cancellation);
        string name = string.Join('-', effect.Id.Split(Path.GetInvalidFileNameChars()));
        File.Move(draft, Path.Combine(folder, $"{name}.eml"), overwrite: true); // Whole, or not there.
        await Task.Delay(answerTime, effect.Cancellation); // So long a server takes to say that it has it.
    }

    /// <summary>The letters in a folder, the oldest first.</summary>
    public static Letter[] Read(string folder) => !Directory.Exists(folder) ? []
        : [.. new DirectoryInfo(folder).GetFiles("*.eml").OrderBy(static file => file.LastWriteTimeUtc).Select(Parse)];

    /// <summary>The ids of all attempts to send one.</summary>
    public static string[] ReadAttempts(string folder) => new Attempts(AttemptsOf(folder)).Read();

    private static string AttemptsOf(string folder) => Path.Combine(folder, "attempts.txt");

    private static Letter Parse(FileInfo file)
    {
        string[] lines = File.ReadAllLines(file.FullName);
        string Header(string name) => lines.First(line => line.StartsWith($"{name}: ", StringComparison.Ordinal))[(name.Length + 2)..];
        return new Letter(Header("Message-ID"), Header("To"), Header("Subject"));
    }

    // A customer's name is anything: it must not begin a header of its own.
    private static string OneLine(string text) => text.ReplaceLineEndings(" ");
}
