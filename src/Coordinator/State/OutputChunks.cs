namespace Ambrosia.Coordinator.State;

/// <summary>The chunks that hold one destination's outputs: one that is being filled, and full ones that may be in memory.</summary>
/// <param name="memory">Where they come from, with room for all destinations.</param>
/// <param name="share">What this destination has of it.</param>
/// <param name="spill">Where they go when there is no room.</param>
internal sealed class OutputChunks(OutputMemory memory, OutputShare share, SpillFile spill)
{
    private const int CleaningStep = 64;

    private readonly List<Chunk> _sealed = []; // The newest last.
    private int _nextCleaning = CleaningStep;
    private int _nextSize = Chunk.SmallestSize;
    private Chunk? _filling;

    /// <summary>The chunk with room for so many bytes, and whether it was taken for them.</summary>
    public (Chunk Chunk, bool IsNew) For(int length)
    {
        if (_filling is { } filling && filling.Free >= length)
        {
            return (filling, false);
        }

        Seal();
        _filling = memory.Take(share, length, _nextSize);
        // A chunk is as large as what waits: little for a destination that gets little, few chunks for one that gets much.
        _nextSize = Math.Min(2 * _nextSize, memory.LargestChunk);
        return (_filling, true);
    }

    /// <summary>
    /// Whether something could move to the scratch file; <paramref name="keepsNewest"/>: what is being filled counts not.
    /// </summary>
    public bool CanSpill(bool keepsNewest)
    {
        while (_sealed.Count > 0 && !_sealed[^1].CanSpill)
        {
            _sealed.RemoveAt(_sealed.Count - 1);
        }

        return _sealed.Count > 0 || (!keepsNewest && _filling is not null);
    }

    /// <summary>Moves the newest full chunk to the scratch file; if there is none, the one that is being filled.</summary>
    public async ValueTask SpillNewestAsync()
    {
        if (_sealed.Count > 0)
        {
            Chunk newest = _sealed[^1];
            _sealed.RemoveAt(_sealed.Count - 1);
            await newest.SpillAsync(spill);
        }
        else if (_filling is { } filling)
        {
            _filling = null; // Before anything is awaited: nothing more may come into it.
            await filling.SpillAsync(spill);
            filling.Release();
        }
    }

    /// <summary>Nothing waits any more: the memory goes back.</summary>
    public void Return()
    {
        if (_filling is { } chunk)
        {
            _filling = null;
            memory.Return(chunk);
            _sealed.Clear();
            (_nextSize, _nextCleaning) = (Chunk.SmallestSize, CleaningStep);
        }
    }

    /// <summary>The buffer ends.</summary>
    public void Release()
    {
        _filling?.Release();
        _filling = null;
    }

    private void Seal()
    {
        if (_filling is { } full)
        {
            if (_sealed.Count >= _nextCleaning)
            {
                _sealed.RemoveAll(static chunk => !chunk.CanSpill);
                _nextCleaning = Math.Max(CleaningStep, 2 * _sealed.Count);
            }

            _sealed.Add(full);
            full.Release();
        }
    }
}
