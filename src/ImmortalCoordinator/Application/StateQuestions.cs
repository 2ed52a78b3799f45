using System.Text;
using Ambrosia.ImmortalCoordinator.Admin;
using Ambrosia.LogStore;
using Ambrosia.Protocol;

namespace Ambrosia.ImmortalCoordinator.Application;

/// <summary>Who asked an app for its state, and behind which record each question went out.</summary>
internal sealed class StateQuestions
{
    private readonly Dictionary<ulong, (TaskCompletionSource<AppState> Told, Lsn Lsn)> _open = [];
    private ulong _last;

    /// <summary>Data of the request, and who must be told when it was written.</summary>
    public (byte[] Data, Action<Lsn> Written) Ask(bool hashOnly, TaskCompletionSource<AppState> told)
    {
        ulong id = ++_last;
        byte[] data = new byte[Varint.MaxSize64 + 1];
        int size = Varint.Write(data, id);
        data[size++] = hashOnly ? (byte)1 : (byte)0;
        _open[id] = (told, Lsn.None);
        return (data[..size], lsn => _open[id] = (told, lsn));
    }

    /// <summary>The app answered; an answer to no question is ignored.</summary>
    public void Answered(byte[] data)
    {
        var reader = new ByteReader(data);
        if (_open.Remove(reader.ReadVarint("state request id"), out (TaskCompletionSource<AppState> Told, Lsn Lsn) question))
        {
            question.Told.TrySetResult(new AppState(question.Lsn.Value, Encoding.UTF8.GetString(reader.Rest)));
        }
    }

    /// <summary>The app is gone.</summary>
    public void End()
    {
        foreach ((TaskCompletionSource<AppState> told, _) in _open.Values)
        {
            told.TrySetException(new InvalidOperationException("The app left before it answered."));
        }

        _open.Clear();
    }
}
