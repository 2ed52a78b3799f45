namespace Ambrosia.InProcess.Tests;

public sealed class Auditor : AuditorBase
{
    private readonly List<string> _lines = [];

    public IReadOnlyList<string> Seen => _lines;

    public override DurableTask Note(string line)
    {
        _lines.Add(line);
        return default;
    }

    public override DurableTask<IReadOnlyList<string>> Lines() => DurableTask.FromResult<IReadOnlyList<string>>(_lines);
}
