using Ambrosia.Coordinator.Context;
using Ambrosia.LogStore.Files;

namespace Ambrosia.Coordinator.State;

/// <summary>
/// Where outputs to one destination go when memory is not enough for them (docs/internals/exactly-once.md H18). Never synced: after a crash
/// replay makes the outputs again, and the scratch folder is emptied at start.
/// </summary>
internal sealed class SpillFile(IFileSystem files, string folder, string name, SpillBudget budget, CoreLimits? limits = null)
    : IAsyncDisposable
{
    private readonly CoreLimits _limits = limits ?? CoreLimits.Product;
    private readonly List<SpillSegment> _segments = [];
    private readonly List<SpillSegment> _dead = [];
    private SpillSegment? _current;
    private int _next;

    public long LiveBytes { get; private set; }

    public async ValueTask<(SpillSegment Segment, long Offset)> WriteAsync(ReadOnlyMemory<byte> bytes)
    {
        await DeleteDeadAsync();
        if (_current is null || _current.Written >= _limits.SpillSegmentBytes)
        {
            Seal();
            IFile file = await files.OpenAsync($"{folder}/{name}.{_next++}.spill", FileOpening.CreateNew);
            _current = new SpillSegment(this, file);
            _segments.Add(_current);
        }

        LiveBytes += bytes.Length;
        budget.Take(bytes.Length);
        SpillSegment segment = _current;
        return (segment, await segment.WriteAsync(bytes));
    }

    private void Seal()
    {
        if (_current is not null)
        {
            _limits.Decided(CoreLimit.SpillSegment);
            _current.Seal();
        }
    }

    public void Released(long bytes)
    {
        LiveBytes -= bytes;
        budget.Return(bytes);
    }

    public void Retire(SpillSegment segment)
    {
        if (_current == segment)
        {
            _current = null;
        }

        _segments.Remove(segment);
        _dead.Add(segment);
    }

    public async ValueTask DisposeAsync()
    {
        _dead.AddRange(_segments);
        _segments.Clear();
        _current = null;
        await DeleteDeadAsync();
    }

    private async ValueTask DeleteDeadAsync()
    {
        while (_dead.Count > 0)
        {
            SpillSegment segment = _dead[^1];
            _dead.RemoveAt(_dead.Count - 1);
            await segment.CloseAsync();
            await files.DeleteAsync(segment.Path);
        }
    }
}
