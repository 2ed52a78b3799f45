using Shop.Effects;

namespace Ambrosia.Samples.Tests;

/// <summary>What the shop's audit takes as the truth about letters must not lose a line itself.</summary>
public sealed class AttemptsTests : IDisposable
{
    private const int Writers = 4;
    private readonly string _folder = Directory.CreateTempSubdirectory("ambrosia-attempts-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public void Each_of_many_at_one_time_has_its_line()
    {
        var attempts = new Attempts(Path.Combine(_folder, "attempts.txt"));
        Assert.Empty(attempts.Read());
        string[] ids = [.. Enumerable.Range(0, 5_000).Select(static number => $"effect/{number}:0:0")];
        using var start = new Barrier(Writers);
        Thread[] writers = [.. Enumerable.Range(0, Writers).Select(writer => new Thread(() =>
        {
            start.SignalAndWait();
            for (int i = writer; i < ids.Length; i += Writers)
            {
                attempts.Add(ids[i]);
            }
        }))];
        Array.ForEach(writers, static writer => writer.Start());
        Array.ForEach(writers, static writer => writer.Join());
        Assert.Equal(ids.Order(StringComparer.Ordinal), attempts.Read().Order(StringComparer.Ordinal));
    }
}
