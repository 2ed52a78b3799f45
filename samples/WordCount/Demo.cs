using System.Globalization;
using System.Text.Json;
using Ambrosia.Samples;

namespace WordCount;

/// <summary>Starts splitter and counters, kills each of them once on the way, and compares their table with a direct count.</summary>
internal sealed class Demo(SampleRun run, string path)
{
    private const int ShownWords = 5;
    private static readonly TimeSpan s_patience = TimeSpan.FromMinutes(30);
    private readonly TextSource _source = new(path);
    private readonly TaskCompletionSource _finished = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly object _gate = new();
    private readonly Dictionary<string, SampleProcess> _processes = [];
    private readonly Queue<string> _toKill = new(["counter-1", "splitter", "counter-2"]);
    private long _blocks;
    private long _nextKill;
    private long _shown;

    public async Task<bool> RunAsync()
    {
        string table = Path.Combine(run.Folder, "table.json");
        Environment.SetEnvironmentVariable(Reader.PathVariable, path);
        Environment.SetEnvironmentVariable(Reader.TableVariable, table);
        Dictionary<string, long> expected = CountDirectly();
        run.Say($"{_source.Files} file{(_source.Files == 1 ? "" : "s")} with {_source.Bytes:N0} bytes, in {_blocks:N0} blocks, through "
            + $"one splitter and {Splitter.Counters} counters.");
        foreach (string name in (string[])["splitter", "counter-1", "counter-2"])
        {
            Start(name);
        }

        await _finished.Task.WaitAsync(s_patience, run.Stopping);
        return Compare(JsonSerializer.Deserialize<Dictionary<string, long>>(await File.ReadAllTextAsync(table, run.Stopping))!, expected);
    }

    private Dictionary<string, long> CountDirectly()
    {
        var counts = new Dictionary<string, long>();
        foreach (string block in _source.Blocks())
        {
            _blocks++;
            foreach (string word in Words.In(block))
            {
                counts[word] = counts.GetValueOrDefault(word) + 1;
            }
        }

        _nextKill = _blocks / 4;
        return counts;
    }

    private bool Compare(Dictionary<string, long> actual, Dictionary<string, long> expected)
    {
        foreach ((string word, long count) in actual.OrderByDescending(static entry => entry.Value)
            .ThenBy(static entry => entry.Key, StringComparer.Ordinal).Take(ShownWords))
        {
            run.Say($"  {count,8:N0}  {word}");
        }

        string[] differing = [.. expected.Keys.Union(actual.Keys)
            .Where(word => actual.GetValueOrDefault(word) != expected.GetValueOrDefault(word))];
        if (differing.Length > 0)
        {
            throw new SampleException(
                $"{differing.Length} words differ from a direct count, among them {string.Join(", ", differing.Take(ShownWords))}.");
        }

        run.Say(Terminal.Good($"{actual.Values.Sum():N0} words, {actual.Count:N0} different ones: the same as a direct count."));
        return true;
    }

    private void Start(string name)
    {
        SampleProcess process = run.StartSelf([name.Split('-')[0], "--instance-name", name], line => Read(name, line));
        lock (_gate)
        {
            _processes[name] = process;
        }
    }

    private void Read(string name, string line)
    {
        if (line == Reader.Finished)
        {
            _finished.TrySetResult();
        }
        else if (line.StartsWith(Reader.Progress, StringComparison.Ordinal))
        {
            TakeProgress(long.Parse(line.AsSpan(Reader.Progress.Length), CultureInfo.InvariantCulture));
        }
        else
        {
            run.Say($"  {name,-9}  {SampleRun.WithoutTime(line)}");
        }
    }

    private void TakeProgress(long blocks)
    {
        long tenth = 10 * blocks / _blocks;
        if (tenth > _shown)
        {
            _shown = tenth;
            run.Say($"  {blocks,6:N0} of {_blocks:N0} blocks, {10 * tenth} %");
        }

        if (blocks < _nextKill || !_toKill.TryDequeue(out string? victim))
        {
            return;
        }

        _nextKill = blocks + (_blocks / 4);
        SampleProcess process;
        lock (_gate)
        {
            process = _processes[victim];
        }

        run.Say(Terminal.Bold($"  kill -9 {process.Id} ({victim})"));
        process.Kill();
        Start(victim);
    }
}
