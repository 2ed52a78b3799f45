using System.Buffers;
using System.IO.Pipelines;
using Ambrosia.Builds;
using Ambrosia.Link;
using Ambrosia.Protocol;
using Ambrosia.Runtime;
using Ambrosia.Upgrading;

namespace Ambrosia.Sessions;

/// <summary>
/// One immortal on one connection to its coordinator (version 2 of the binding link), from hello to goodbye. Everything runs
/// one after the other in the context in which <see cref="RunAsync"/> was called; only impulses come from other threads.
/// </summary>
internal sealed class ImmortalSession(Immortal immortal, SessionIdentity identity, SessionSettings settings) : ILinkMessages, IDisposable
{
    private LinkReader? _reader;
    private LinkWriter? _writer;
    private ImmortalRuntime? _runtime;
    private Dispatcher? _dispatcher;
    private CheckpointCodec? _codec;
    private StateExchange? _state;
    private UpgradeExchange? _upgrade;
    private BuildCheck? _builds;
    private SessionProgress? _progress;
    private QueryService? _queries;
    private string? _ending;
    private readonly LeaveTaking _leaveTaking = new(settings.Time);

    /// <inheritdoc/>
    public bool ShouldPause => _ending is not null || _runtime?.Page.Bytes >= settings.PageSize;

    /// <summary>True once this app was the one that acts.</summary>
    public bool WasPrimary { get; private set; }

    /// <summary>True once another app has taken this one's place.</summary>
    public bool WasReplaced { get; private set; }

    /// <summary>Serves the immortal until the coordinator drains it, the token is cancelled, or something fails.</summary>
    /// <returns>Why it ended: one phrase.</returns>
    /// <exception cref="LinkClosedException">The coordinator is gone.</exception>
    /// <exception cref="BindingRefusedException">The coordinator does not serve this app.</exception>
    /// <exception cref="UpgradeFailedException">The app was to take another's place and did not.</exception>
    /// <exception cref="ProtocolException">The coordinator broke a rule.</exception>
    /// <exception cref="HandlerFaultException">A handler failed and the policy is to stop.</exception>
    public async Task<string> RunAsync(IDuplexPipe link, CancellationToken stop)
    {
        _writer = new LinkWriter(link.Output, settings.MaxQueuedBytes);
        _reader = new LinkReader(this);
        Exception? error = null;
        try
        {
            using (stop.UnsafeRegister(static pipe => ((PipeReader)pipe!).CancelPendingRead(), link.Input))
            {
                Failpoint.Pass("B1");
                identity.SayHello(_writer, immortal.GetContract().Hash, settings.Upgrades);
                await ReadAllAsync(link.Input, stop);
            }

            await _leaveTaking.EndAsync(_ending is null || _leaveTaking.IsAsked ? _runtime : null);

            return _ending ?? "the app is stopping";
        }
        catch (Exception failure) when (Note(failure, out error))
        {
            throw;
        }
        finally
        {
            await EndAsync(link, error);
        }
    }

    /// <inheritdoc/>
    public void OnControl(BindingMessageType type, ReadOnlySpan<byte> data)
    {
        if (_runtime is null)
        {
            OnFirstMessage(type, data);
            return;
        }

        if (type is BindingMessageType.Drain or BindingMessageType.Goodbye or BindingMessageType.Replaced or BindingMessageType.Refused)
        {
            OnEnding(type, data);
            return;
        }

        _writer!.ThrowIfClosed(); // Behind a closed link no user code runs any more, and nobody reads the state.
        TurnCulture.Pin(); // Queries, conversions and what saves a state run here.
        switch (type)
        {
            case BindingMessageType.TakeCheckpoint or BindingMessageType.TakeBecomingPrimaryCheckpoint:
                OnCheckpointWanted(type);
                break;
            case BindingMessageType.BecomingPrimary:
                OnBecomingPrimary();
                break;
            case BindingMessageType.Skip:
                _dispatcher!.AddSkip(data);
                break;
            case BindingMessageType.Limits:
                _runtime.Apply(HandlerLimits.Read(data));
                break;
            case BindingMessageType.Awakeables:
                _runtime.Awakeables.Key = AwakeableKey.Read(data);
                break;
            case BindingMessageType.Part:
                _dispatcher!.ExpectPart(RecordPart.Read(data));
                break;
            case BindingMessageType.StateRequest:
                _state!.Answer(data);
                break;
            case BindingMessageType.Query:
                AnswerQuery(data);
                break;
            case BindingMessageType.Heartbeat:
                _writer!.SubmitControl(BindingMessageType.Heartbeat, []);
                break;
            case BindingMessageType.UpgradeTakeCheckpoint when _upgrade!.IsKnown:
                OnUpgrade(ConversionRequest.Read(data), wantsCheckpoint: true);
                break;
            case BindingMessageType.UpgradeService when _upgrade!.IsKnown:
                OnUpgrade(new ConversionRequest(data.IsEmpty ? "" : ReasonOf(data), null), wantsCheckpoint: false);
                break;
            default:
                RequireLaterType(type);
                break;
        }
    }

    /// <inheritdoc/>
    public void OnRecord(in RecordInfo record) => Served(_dispatcher).BeginRecord(record);

    /// <inheritdoc/>
    public void OnRpc(ReadOnlySpan<byte> data) => _dispatcher!.Execute(data);

    /// <inheritdoc/>
    public void OnRecordEnd()
    {
        if (_dispatcher!.EndRecord())
        {
            _progress!.CountRecord(_dispatcher.MessagesDone);
        }

        if (_runtime!.TakeCheckpointRequest())
        {
            _runtime.Page.WriteControl(BindingMessageType.TakeCheckpoint, []);
        }
    }

    /// <inheritdoc/>
    public void OnCheckpoint(ChunkedBuffer checkpoint)
    {
        using (checkpoint)
        {
            ReadOnlySequence<byte> bytes = checkpoint.ToSequence();
            AppStateHeader header = AppStateHeader.Read(ref bytes);
            Served(_upgrade).RequireClass(header);
            var losses = new StateLosses();
            Served(_codec).Read(header, bytes, losses, () => _builds!.Loaded(header, losses));
            BindingLog.StateLoaded(settings.Logger, _runtime!.Welcome.Instance, checkpoint.Length);
        }

        if ((_runtime.Welcome.Features & BindingFeatures.Upgrades) != 0)
        {
            _upgrade!.TellVersion();
        }

        _builds!.Tell(_writer!);
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _reader?.Dispose();
        _runtime?.Dispose();
        _runtime = null;
        _leaveTaking.Dispose();
    }

    private static T Served<T>(T? part)
        where T : class => part ?? throw new ProtocolException("the coordinator sent state before its welcome", 0);

    private static bool Note(Exception failure, out Exception? error)
    {
        error = failure;
        return false;
    }

    private static string ReasonOf(ReadOnlySpan<byte> data) => new ByteReader(data).ReadString(4096, "reason");

    private async Task ReadAllAsync(PipeReader input, CancellationToken stop)
    {
        while (_ending is null && (!stop.IsCancellationRequested || AsksToLeave(input)))
        {
            ReadResult result = await ReadAsync(input);
            ReadOnlySequence<byte> buffer = result.Buffer;
            bool paused = _reader!.Read(ref buffer);
            input.AdvanceTo(buffer.Start, paused ? buffer.Start : buffer.End);
            Flush();
            if (_writer!.PendingBytes >= settings.MaxQueuedBytes)
            {
                await _writer.WaitForRoomAsync(_leaveTaking.Limit ?? stop);
            }

            if (result.IsCompleted && !paused && _ending is null)
            {
                throw new LinkClosedException(_reader.IsInside || !buffer.IsEmpty
                    ? "The coordinator closed the connection in the middle of a message."
                    : "The coordinator closed the connection.");
            }
        }
    }

    private bool AsksToLeave(PipeReader input) =>
        _leaveTaking.IsWaiting(_runtime, WasPrimary || _runtime?.Welcome.Mode != BindingMode.Upgrade, _writer!, input);

    private static async ValueTask<ReadResult> ReadAsync(PipeReader input)
    {
        try
        {
            return await input.ReadAsync();
        }
        catch (IOException error) when (error is not LinkClosedException)
        {
            throw new LinkClosedException("The connection to the coordinator broke.", error);
        }
    }

    private void Flush()
    {
        if (_runtime is { Page.Bytes: > 0 } or { HasDue: true } || _dispatcher is { OwesProgress: true })
        {
            _dispatcher!.MarkPartialRecord();
            _writer!.Submit(_runtime!.Page);
            if (_ending is null)
            {
                _runtime.BeginDue(); // Nothing begins in a process that is to leave, or whose place another has.
            }
        }
    }

    private async Task EndAsync(IDuplexPipe link, Exception? error)
    {
        Dispose();
        if (error is null || IsOwnEnd(error))
        {
            // A state that this app cannot load is nobody's death: another build may load it.
            SayGoodbye(error?.Message ?? _ending ?? "the app is stopping");
        }

        // A pipe within one process hands what an end was completed with to the other: a coordinator there must not end because an app did.
        Exception? broken = IsOwnEnd(error) || error is UpgradeFailedException ? null : error;
        await _writer!.CloseAsync(broken, settings.Time);
        await link.Input.CompleteAsync(broken);
    }

    private static bool IsOwnEnd(Exception? error) =>
        error is HandlerFaultException or StateChangedByQueryException or CheckpointException or CannotResumeException
            or BuildRefusedException or EffectDivergedException;

    private void SayGoodbye(string reason)
    {
        try
        {
            _writer!.SubmitControl(BindingMessageType.Goodbye, LeaveTaking.Text(reason));
        }
        catch (LinkClosedException closed)
        {
            BindingLog.Leaving(settings.Logger, identity.Instance, closed.Message);
        }
    }

    // From 64 up types may be added to version 2; they are skipped by their size.
    private static void RequireLaterType(BindingMessageType type)
    {
        if (type < BindingMessageType.Hello)
        {
            throw new ProtocolException($"message of type {(byte)type} from the coordinator", 0);
        }
    }

    private void OnFirstMessage(BindingMessageType type, ReadOnlySpan<byte> data)
    {
        if (type == BindingMessageType.Refused)
        {
            BindingRefused refused = BindingRefused.Read(data);
            throw new BindingRefusedException(refused.Code, refused.Reason);
        }

        if (type != BindingMessageType.Welcome)
        {
            throw new ProtocolException($"message of type {(byte)type} before the coordinator's welcome", 0);
        }

        BindingWelcome welcome = BindingWelcome.Read(data);
        if (welcome.Version != BindingHello.CurrentVersion)
        {
            throw new ProtocolException($"the coordinator wants version {welcome.Version}, not {BindingHello.CurrentVersion}", 0);
        }

        settings.Monitor.Attached(welcome.Mode == BindingMode.Secondary, welcome.Epoch);
        _runtime = new ImmortalRuntime(immortal, welcome, identity.Incarnation, _writer!, settings);
        _builds = new BuildCheck(_runtime, settings);
        _dispatcher = new Dispatcher(_runtime, _builds);
        _codec = new CheckpointCodec(_runtime);
        _state = new StateExchange(_runtime, _codec, _writer!, settings);
        _upgrade = new UpgradeExchange(
            _runtime, _writer!, _builds, settings, settings.Upgrades is { } upgrades ? new StateUpgrade(_runtime, _codec, upgrades) : null);
        _progress = new SessionProgress(settings);
        _queries = new QueryService(_runtime, _codec, settings.CheckQueries);
    }

    private void OnUpgrade(ConversionRequest request, bool wantsCheckpoint)
    {
        Flush(); // As before any checkpoint.
        _upgrade!.Convert(request, wantsCheckpoint);
    }

    private void OnBecomingPrimary()
    {
        Flush(); // It says that everything before was executed, so it must stand behind that.
        _writer!.SubmitControl(BindingMessageType.BecomingPrimary, []);
        SessionIdentity.TellContract(_writer!, _runtime!);
        _progress!.Report(_runtime!);
        WasPrimary = true;
        _runtime!.BecomePrimary();
        settings.Monitor.Serves();
    }

    // Why a link was closed may still be told, when it is.
    private void OnEnding(BindingMessageType type, ReadOnlySpan<byte> data)
    {
        if (type == BindingMessageType.Refused)
        {
            BindingRefused refused = BindingRefused.Read(data);
            throw new UpgradeFailedException(refused.Code, refused.Reason);
        }

        _ending = ReasonOf(data);
        (WasReplaced, _leaveTaking.IsAsked) = (type == BindingMessageType.Replaced, type == BindingMessageType.Drain);
    }

    private void OnCheckpointWanted(BindingMessageType type)
    {
        if (type == BindingMessageType.TakeBecomingPrimaryCheckpoint && _runtime!.Welcome.Mode == BindingMode.FirstStart)
        {
            _state!.SendInitialMessage();
        }

        Flush(); // Outputs of the turns before must stand before the checkpoint in the stream.
        _state!.SendCheckpoint(mayDecline: type == BindingMessageType.TakeCheckpoint
            || _runtime!.IsPrimary || _runtime.Welcome.Mode is BindingMode.Debug or BindingMode.Secondary);
    }

    private void AnswerQuery(ReadOnlySpan<byte> data)
    {
        Flush(); // Should the query end this process, the turns before it have ended for everybody.
        var reply = new ArrayBufferWriter<byte>();
        StateChangedByQueryException? changed = _queries!.Answer(data, reply);
        _writer!.SubmitControl(BindingMessageType.QueryReply, reply.WrittenSpan);
        if (changed is not null)
        {
            throw changed;
        }
    }
}
