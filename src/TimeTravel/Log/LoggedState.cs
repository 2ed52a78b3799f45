using Ambrosia.Coordinator.Checkpoints;
using Ambrosia.Coordinator.Records;
using Ambrosia.Coordinator.State;


namespace Ambrosia.TimeTravel.Log;

/// <summary>The app's part of a checkpoint of the log; can be handed over once.</summary>
internal sealed class LoggedState : IAppState, IAsyncDisposable
{
    private const int Block = 256 * 1024;
    private readonly CheckpointImage _image;

    private LoggedState(CheckpointImage image) => _image = image;

    /// <inheritdoc/>
    public long Size => _image.AppSize;

    /// <summary>How far the outputs to each destination had got.</summary>
    public IReadOnlyDictionary<string, ulong> Streamed { get; private init; } = new Dictionary<string, ulong>();

    /// <summary>Reads a checkpoint up to the app's part.</summary>
    public static async Task<LoggedState> OpenAsync(CheckpointImage image)
    {
        await image.ReadEntriesAsync(static (_, _, _, _) => default);
        return new LoggedState(image)
            { Streamed = image.Head.Outputs.ToDictionary(static output => output.Destination, static output => output.Streamed) };
    }

    /// <inheritdoc/>
    public async Task CopyToAsync(Func<ReadOnlyMemory<byte>, ValueTask> write)
    {
        byte[] block = new byte[Block];
        for (long left = Size; left > 0;)
        {
            int size = (int)Math.Min(left, Block);
            await _image.ReadAppAsync(block.AsMemory(0, size));
            await write(block.AsMemory(0, size));
            left -= size;
        }
    }

    /// <inheritdoc/>
    public ValueTask DisposeAsync() => _image.DisposeAsync();
}
