using Ambrosia.Interleavings.Tests.Schedules;
using Ambrosia.Primitives;

namespace Ambrosia.Interleavings.Tests.Sending;

/// <summary>
/// One schedule of a real output buffer and link against a model of everything around them. All of it runs on one context, as in a
/// coordinator: what can interleave is what happens between two awaits, and that is what the strategy orders.
/// </summary>
internal sealed class SendScene : IDisposable
{
    private const int MostSteps = 3_000;
    private readonly IStrategy _strategy;
    private readonly SendScript _script;
    private readonly ModelTime _time = new();
    private readonly ModelNetwork _network = new();
    private readonly ModelDisk _disk = new();
    private readonly ModelLog _log = new();
    private readonly List<ModelReceiver> _zombies = [];
    private readonly List<(int Id, Action Do)> _able = [];
    private readonly List<int> _ids = [];
    private readonly int[] _left;
    private readonly List<ModelMessage> _impulses = [];
    private ModelReceiver _receiver;
    private SenderLife _sender;
    private SenderLife? _zombieSender;
    private ModelCheckpoint _checkpoint = new();
    private ulong _madeEver;
    private bool _healing;
    private string? _violation;

    public SendScene(IStrategy strategy, SendScript script)
    {
        (_strategy, _script) = (strategy, script);
        _left = [script.Cuts, script.ReceiverCrashes, script.ReceiverPromotions, script.SenderCrashes, script.Reattachments,
            script.Checkpoints, script.Impulses, 2 * script.ReceiverPromotions];
        _receiver = new ModelReceiver(_log, 1, script.Payload);
        _sender = Give(1);
    }

    public int Steps { get; private set; }

    public int Deviations { get; private set; }

    /// <summary>Faults that happened.</summary>
    public int Faults { get; private set; }

    public ulong Hash { get; private set; } = 14695981039346656037;

    /// <summary>Null if all is well, else what is wrong.</summary>
    public string? Run()
    {
        _sender.Recover(_checkpoint, default);
        while (Violation() is null && Steps < MostSteps / 2 && Step())
        {
        }

        Heal();
        while (Violation() is null && Steps < MostSteps && !Converged && Step())
        {
        }

        return Violation() ?? (Converged ? Leftover()
            : $"no convergence after {Steps} steps: {_sender.Buffer.EntryCount} entries left, {_log.Replayable} of {_script.Messages} "
            + $"messages logged; {_sender.Buffer.NextTotal} next");
    }

    public void Dispose()
    {
        _sender.Dispose();
        _zombieSender?.Dispose();
    }

    // From here on nothing fails any more, and zombies have noticed what they are.
    private void Heal()
    {
        _healing = true;
        _network.Connections.FindAll(connection => connection.Receiver.Fenced).ForEach(connection => connection.Abort());
        _sender.Context.Drain();
    }

    private bool Converged => AllSent && _sender.Buffer.IsEmpty && _log.Replayable == (ulong)_script.Messages;

    private bool AllSent => _sender.Buffer.Streamed == (ulong)_script.Messages && !_sender.AppIsBusy;

    private bool IsPrimary => _sender.Buffer.Streamed >= _madeEver;

    private string? Violation() => _violation ?? _log.Violation ?? _sender.Violation ?? _sender.Context.Escaped?.ToString();

    private string? Leftover() =>
        _sender.Spilled > 0 ? $"everything is confirmed, and {_sender.Spilled} bytes are left in scratch files" :
        _impulses.FirstOrDefault(impulse => _sender.Appended.Contains(impulse) && !_log.Holds(impulse)) is { Identity: > 0 } lost
        ? $"impulse {lost.Identity}, taken by a sender that never died, was lost (D2)" : null;

    private SenderLife Give(ulong epoch)
    {
        _ = _disk.Files.CreateFolderAsync($"/scratch{epoch}").AsTask(); // At once: the disk is asked only about reads and writes.
        return new SenderLife(epoch, _script, _disk.Files, _time, _network, _network);
    }

    private bool Step()
    {
        _able.Clear();
        OfferProgress();
        int progress = _able.Count;
        if (!_healing)
        {
            OfferFaults();
        }

        if (progress == 0 && (_healing || _able.Count == 0))
        {
            return false;
        }

        _ids.Clear();
        _able.ForEach(able => _ids.Add(able.Id));
        // What lets things go on comes first: a deviation from it, a fault included, counts as an interruption.
        int chosen = _healing ? _ids[0] : _strategy.Choose(_ids, progress > 0 ? _ids[0] : -1);
        Steps++;
        Deviations += chosen == _ids[0] ? 0 : 1;
        Hash = (Hash ^ (uint)chosen) * 1099511628211;
        _able.Find(able => able.Id == chosen).Do();
        _sender.Context.Drain();
        return true;
    }

    private void OfferProgress()
    {
        if (_network.IsDialled)
        {
            Offer(1, () => _network.Accept(_receiver));
        }

        for (int i = 0; i < _network.Connections.Count; i++)
        {
            OfferTraffic(_network.Connections[i], 100 + 10 * i);
        }

        if (_receiver.CanMakeDurable)
        {
            Offer(2, _receiver.MakeDurable);
        }

        if (_disk.IsAsked)
        {
            Offer(3, _disk.Answer);
        }

        if (!_sender.AppIsBusy && _sender.Buffer.Streamed < (ulong)_script.Messages)
        {
            Offer(4, () => Send(1));
            if (!_healing && _sender.Buffer.Streamed + 1 < (ulong)_script.Messages)
            {
                Offer(5, () => Send(2));
            }
        }

        if (_left[6] > 0 && IsPrimary && !_sender.AppIsBusy && !_healing)
        {
            Offer(6, SendImpulse);
        }

        if (_time.HasTimers)
        {
            Offer(7, _time.RingFirst);
        }
    }

    private void OfferTraffic(ModelConnection connection, int id)
    {
        if (connection.HasFramesForSender)
        {
            Offer(id, connection.Deliver);
        }

        if (connection.Receiver.CanAnswer(connection))
        {
            Offer(id + 1, () => connection.Receiver.Answer(connection));
        }

        if (connection.HasBytesForReceiver && (connection.Receiver.Fenced || connection.Receiver == _receiver))
        {
            Offer(id + 2, () => _violation ??= connection.Receiver.Read(connection));
        }

        if (connection.Receiver.CanTrim(connection))
        {
            Offer(id + 3, () => connection.Receiver.Trim(connection));
        }
    }

    private void OfferFaults()
    {
        if (_network.IsDialled && _zombies.Count > 0)
        {
            OfferFault(7, 30, () => _network.Accept(_zombies[^1]));
        }

        if (_network.Connections.Exists(connection => connection.Open))
        {
            OfferFault(0, 31, () => _network.Connections.Find(connection => connection.Open)!.Abort());
        }

        OfferFault(1, 32, () => ReplaceReceiver(zombie: false));
        OfferFault(2, 33, () => ReplaceReceiver(zombie: true));
        OfferFault(3, 34, ReplaceSender);
        if (!_sender.AppIsBusy)
        {
            OfferFault(4, 35, Reattach);
            OfferFault(5, 36, () => _sender.TakeCheckpoint(checkpoint => _checkpoint = checkpoint));
        }

        if (_zombieSender is { } old && _receiver.HighestEpoch <= old.Epoch && FromZombie(old) is { Count: > 0 } rest)
        {
            Offer(37, () => _receiver.AcceptFromZombie([rest[0]], old.Epoch));
        }
    }

    private void OfferFault(int budget, int id, Action act)
    {
        if (_left[budget] > 0)
        {
            Offer(id, () =>
            {
                _left[budget]--;
                Faults++;
                act();
            });
        }
    }

    private void Offer(int id, Action act) => _able.Add((id, act));

    private void Send(int count)
    {
        _sender.Send(count);
        _madeEver = Math.Max(_madeEver, _sender.Buffer.Streamed);
    }

    private void SendImpulse()
    {
        _left[6]--;
        _impulses.Add(new ModelMessage(1000 + (ulong)_impulses.Count, Impulse: true));
        _sender.SendImpulse(_impulses[^1]);
    }

    private void ReplaceReceiver(bool zombie)
    {
        ModelReceiver old = _receiver;
        _receiver = new ModelReceiver(_log, old.Epoch + 1, _script.Payload);
        if (zombie)
        {
            old.Fenced = true;
            _zombies.Add(old);
        }
        else
        {
            _network.Connections.FindAll(connection => connection.Receiver == old).ForEach(connection => connection.Abort());
        }
    }

    private void ReplaceSender()
    {
        _sender.Die();
        _disk.Forget();
        _network.HangUp();
        _network.Connections.ForEach(connection => connection.Abort());
        _zombieSender?.Dispose();
        _zombieSender = _sender;
        _sender = Give(_zombieSender.Epoch + 1);
        _sender.Recover(_checkpoint, _zombieSender.LoggedTrim);
    }

    // Every other time from a checkpoint that a secondary has written, whose app was ahead of ours.
    private void Reattach()
    {
        ulong ahead = Math.Min((ulong)_script.Messages, _madeEver + 2);
        ModelCheckpoint checkpoint = _checkpoint;
        if (_left[4] % 2 == 0)
        {
            checkpoint = new ModelCheckpoint
                { Streamed = ahead, Trimmed = _sender.LoggedTrim.Number, ReceiverEpoch = _sender.LoggedTrim.ReceiverEpoch };
            int count = (int)(ahead - checkpoint.Trimmed);
            if (count > 0)
            {
                checkpoint.Entries.Add(
                    (checkpoint.Trimmed + 1, count, ModelMessage.ToBytes(checkpoint.Trimmed + 1, count, _script.Payload)));
            }
        }

        _checkpoint = checkpoint;
        _madeEver = Math.Max(_madeEver, checkpoint.Streamed);
        _sender.Reattach(checkpoint);
    }

    /// <summary>What an older life of the sender could still hand over on the connection that it had: the rest after the last message that
    /// arrived.</summary>
    private List<ModelMessage> FromZombie(SenderLife old)
    {
        int last = old.Appended.FindLastIndex(message =>
            message.Impulse ? _log.Holds(message) || _receiver.Holds(message) : message.Identity <= _receiver.Accepted.Replayable);
        return old.Appended[(last + 1)..];
    }
}
