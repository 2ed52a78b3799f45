namespace Ambrosia.Coordinator.State;

/// <summary>One output buffer per destination; the instance itself is one of them.</summary>
internal sealed class OutputTable(Func<string, OutputBuffer> create) : IAsyncDisposable
{
    private readonly Dictionary<string, OutputBuffer> _buffers = [];

    /// <summary>Raised once per destination, when its buffer is made.</summary>
    public event Action<OutputBuffer>? Added;

    public IEnumerable<OutputBuffer> All => _buffers.Values;

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
