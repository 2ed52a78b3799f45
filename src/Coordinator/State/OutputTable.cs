namespace Ambrosia.Coordinator.State;

/// <summary>One output buffer per destination; the instance itself is one of them.</summary>
internal sealed class OutputTable(Func<string, OutputBuffer> create) : IAsyncDisposable
{
    private readonly Dictionary<string, OutputBuffer> _buffers = [];

    /// <summary>Raised once per destination, when its buffer is made.</summary>
    public event Action<OutputBuffer>? Added;

    public IEnumerable<OutputBuffer> All => _buffers.Values;

    /// <summary>Whether each destination has said in this life what it has got.</summary>
    public bool AllHaveAnswered => All.All(static output => output.HasAnswered);

    /// <summary>Whether a destination has got more than the app has brought forth: an earlier life went further.</summary>
    public bool AnyHasMoreThanGenerated => All.Any(static output => output.Settled > output.Generated);

    /// <summary>Has those dialled that have not answered: nothing may wait for them.</summary>
    public void AskAll()
    {
        foreach (OutputBuffer buffer in _buffers.Values)
        {
            buffer.Ask();
        }
    }

    public OutputBuffer Get(string destination)
    {
        if (!_buffers.TryGetValue(destination, out OutputBuffer? buffer))
        {
            buffer = create(destination);
            _buffers.Add(destination, buffer);
            Added?.Invoke(buffer);
        }

        return buffer;
    }

    public async ValueTask DisposeAsync()
    {
        foreach (OutputBuffer buffer in _buffers.Values)
        {
            await buffer.DisposeAsync();
        }
    }
}
