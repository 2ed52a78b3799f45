using System.Buffers;
using Ambrosia.Serialization;

namespace Ambrosia.Runtime;

/// <summary>What comes of one query.</summary>
internal sealed class QueryResult
{
    private readonly ArrayBufferWriter<byte> _value = new();

    /// <summary>Why there is no result; null if there is one.</summary>
    public Exception? Error { get; private set; }

    /// <summary>The encoded result; empty for a method without one.</summary>
    public ReadOnlySpan<byte> Value => _value.WrittenSpan;

    /// <summary>There is none.</summary>
    public void Fail(Exception error) => Error = error;

    /// <summary>Takes what a handler without a result returned.</summary>
    public void Take(DurableTask task)
    {
        if (!task.IsCompletedSuccessfully)
        {
            Fail(task.Exception ?? Waits());
        }
    }

    /// <summary>Takes what a handler with a result returned.</summary>
    public void Take<T, TFormatter>(DurableTask<T> task, MessagePackLibrary library)
        where TFormatter : struct, IFormatter<T>
    {
        if (!task.IsCompletedSuccessfully)
        {
            Fail(task.Exception ?? Waits());
            return;
        }

        var writer = new MessagePackWriter(_value, library);
        default(TFormatter).Write(ref writer, task.Result);
        writer.Flush();
    }

    private static InvalidOperationException Waits() =>
        new("A query waits for nothing: it is answered between two records, from the state as it is.");
}
