using System.ComponentModel;

namespace Ambrosia.Runtime;

/// <summary>
/// One-shot result of type <typeparamref name="T"/> that suspended code waits for. The result is kept, so it may be awaited more than
/// once.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public class DurableCell<T> : DurableCell
{
    private T? _result;

    /// <summary>A pending cell.</summary>
    public DurableCell()
    {
    }

    internal DurableCell(Exception error) => StartFailed(error);

    /// <summary>Completes the cell with a result; false when it was complete already.</summary>
    /// <exception cref="InvalidOperationException">Called outside the immortal's turn.</exception>
    public bool TryComplete(T result)
    {
        if (IsCompleted)
        {
            return false;
        }
        _result = result;
        return TrySucceed();
    }

    /// <summary>The result; throws the error of a failed cell.</summary>
    public T GetResult()
    {
        if (!IsCompletedSuccessfully)
        {
            ThrowIfNotSuccessful();
        }
        return _result!;
    }
}
