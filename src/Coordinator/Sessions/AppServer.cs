using System.Buffers;
using System.IO.Pipelines;
using System.Security.Cryptography;
using System.Text;
using Ambrosia.Coordinator.Checkpoints;
using Ambrosia.Coordinator.Context;
using Ambrosia.Coordinator.Delivery;
using Ambrosia.Coordinator.Ingest;
using Ambrosia.Coordinator.Links;
using Ambrosia.Coordinator.Poison;
using Ambrosia.Coordinator.Settings;
using Ambrosia.Coordinator.State;
using Ambrosia.Coordinator.Transport;
using Ambrosia.LogStore;
using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.Sessions;

/// <summary>
/// Accepts the app, one at a time. A second one waits a moment for the first to be gone, because a restarted app may be faster
/// than the news of its predecessor's death.
/// </summary>
internal sealed class AppServer(AppServices services, InstanceSettings options, string token)
{
    private static readonly TimeSpan s_predecessorTime = TimeSpan.FromSeconds(2);
    private static readonly TimeSpan s_replacedTime = TimeSpan.FromSeconds(1);

    // Nobody waits behind a silent connection; a program that starts beside a hundred others on two processors was seen to need longer
    // than five seconds.
    internal static readonly TimeSpan HelloTime = TimeSpan.FromSeconds(30);
    private readonly ContextEvent _sessionEnded = new();
    private readonly ContextEvent _legacyHalfCame = new();
    private IConnection? _fromLegacyApp;
    private bool _stopped;
    private int _sessions;
    private bool _handsOver;

    /// <summary>Which instance is served. The epoch is that of the log: a secondary's grows when it becomes the primary.</summary>
    public required PeerSettings Identity { get; set; }

    /// <summary>Serves apps that are to replace the attached one; null until that is known, and for none.</summary>
#pragma warning disable CA1859 // Sessions know nothing of upgrades, which stand above them.
    public ISuccessors? Successors { private get; set; }
#pragma warning restore CA1859

    /// <summary>The attached app; null while there is none.</summary>
    public AppSession? Session { get; private set; }

    /// <summary>
    /// How the attached app introduced itself; null without one, and for the published protocol, which has no introduction.
    /// </summary>
    public BindingHello? Introduction { get; private set; }

    /// <summary>Whether a session has ended by a failure that ends the instance: nobody waits for an app any more.</summary>
    public bool Fails { get; private set; }

    /// <summary>Whether an app is about to take another's place.</summary>
    public bool HasCandidate => _handsOver || Successors is { Any: true };

    /// <summary>Raised when an app has attached or left.</summary>
    public event Action<bool>? AttachedChanged;

    /// <summary>Serves a version 2 connection to its end.</summary>
    public async Task ServeAsync(IConnection connection)
    {
        BindingHello? hello = await ReadHelloAsync(connection);
        if (hello is null)
        {
            return;
        }

        BindingRefused? objection = connection.UserObjection is { } user ? new BindingRefused(ProcessErrors.AppOfOtherUser, user)
            : Objection(hello);
        if (objection is null && (hello.Features & BindingFeatures.TakesOver) != 0 && Session is { } serving && !_stopped
            && Successors is { } successors)
        {
            await successors.ServeAsync(connection, hello, serving);
            return;
        }

        objection ??= await WaitUntilServedAsync(hello);
        if (objection is null && _stopped)
        {
            // Not a refusal, which would end an app that may wait: what it sees is a coordinator that has gone.
            return;
        }

        if (objection is not null)
        {
            CoreLog.AppRefused(services.Logger, objection.Code, objection.Reason);
            await Version2Framing.SendAsync(connection.Output, BindingMessageType.Refused, objection.Write);
            return;
        }

        BindingMode mode = services.Position.Follows ? BindingMode.Secondary
            : !services.Position.HasCheckpoint ? BindingMode.FirstStart
            : _sessions == 0 ? BindingMode.Recover
            : BindingMode.Reattach;
        ulong features = hello.Features & BindingFeatures.OfCoordinators;
        BindingWelcome welcome = WelcomeTo(mode, features);
        using var session = new AppSession(connection, new BindingDialect(), services, features);
        Introduction = hello;
        await RunAsync(session, () => Version2Framing.SendAsync(connection.Output, BindingMessageType.Welcome, welcome.Write));
    }

    /// <summary>What an app is welcomed with.</summary>
    public BindingWelcome WelcomeTo(BindingMode mode, ulong features) => new(
        BindingHello.CurrentVersion, features, mode, Identity.Epoch, Identity.InstanceId, Identity.Instance, options.MaxMessageSize,
        options.MaxTurnBytes);

    /// <summary>Serves an app that has taken another's place, which has left, to its end.</summary>
    public async Task ServeSuccessorAsync(IConnection connection, BindingHello hello, ulong features, Continuation from)
    {
        using var session = new AppSession(connection, new BindingDialect(), services, features, from);
        Introduction = hello;
        await RunAsync(session, static () => default);
    }

    /// <summary>
    /// Ends the app that serves, for another one in its place. It is waited for, because the next one may want its ports.
    /// </summary>
    // Nobody else may attach between the two, and nobody is told that the app has gone: it has not.
    public async ValueTask ReplaceAsync(AppSession serving)
    {
        _handsOver = true;
        try
        {
            serving.Replace("another app has taken this one's place");
            while (Session == serving)
            {
                if (!await CompletesAsync(_sessionEnded.WaitAsync(), s_replacedTime))
                {
                    serving.End();
                }
            }

            while (services.Guard.Decision is { } decision)
            {
                await decision;
            }
        }
        finally
        {
            _handsOver = false;
        }
    }

    /// <summary>First half of the legacy pair, accepted on the receive port: the connection on which the app sends.</summary>
    public async Task ServeLegacyReceiveAsync(IConnection connection)
    {
        if (_stopped)
        {
            return; // Nobody would end it any more.
        }

        _fromLegacyApp?.Abort();
        _fromLegacyApp = connection;
        var ended = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        _legacyEnded?.TrySetResult();
        _legacyEnded = ended;
        _legacyHalfCame.Pulse();
        // The pair lives until its second half has ended; until that comes, the transport keeps the first one open.
        await ended.Task;
    }

    /// <summary>Second half, accepted on the send port: the connection on which the app receives. The session starts with it.</summary>
    public async Task ServeLegacySendAsync(IConnection connection)
    {
        // The app connects the receive port first, but two ports accept independently of each other.
        if (_fromLegacyApp is null && !await CompletesAsync(_legacyHalfCame.WaitAsync(), PeerSettings.HandshakeTime))
        {
            CoreLog.AppRefused(services.Logger, ProcessErrors.AppSlotTaken.Id, "the send port was connected, the receive port was not");
            return;
        }

        if (await WaitUntilServedAsync(hello: null) is { } objection)
        {
            CoreLog.AppRefused(services.Logger, objection.Code, objection.Reason);
            return;
        }

        // The app that was here may still be leaving, and another connection of this port may have taken the first half meanwhile.
        if (_stopped || _fromLegacyApp is not { } fromApp)
        {
            CoreLog.AppRefused(services.Logger, ProcessErrors.AppSlotTaken.Id, "the send port was connected, the receive port was not");
            return;
        }

        // Taken out: the first half of the next app must not end this one, which its session may still read.
        (TaskCompletionSource ended, _legacyEnded, _fromLegacyApp) = (_legacyEnded!, null, null);
        var pair = new LegacyPair(fromApp, toApp: connection);
        try
        {
            using var session = new AppSession(
                pair, new LegacyDialect(CommitterId(), Identity.Instance, options.LegacyUpgradeTo), services);
            await RunAsync(session, static () => default);
        }
        finally
        {
            ended.TrySetResult();
        }
    }

    /// <summary>Ends the attached app's connection, if there is one, and returns when nothing of it can be released any more.</summary>
    public async Task EndSessionAsync()
    {
        for (AppSession? session = Session; session is not null && Session == session;)
        {
            session.End();
            await _sessionEnded.WaitAsync();
        }
    }

    /// <summary>Asks a version 2 app to leave and ends the session when it did or its time is over.</summary>
    /// <param name="drain">False when the coordinator has failed: the app is not to leave but sees it gone, and waits for the next or
    /// ends, as it was told.</param>
    public async Task StopAsync(bool drain)
    {
        _stopped = true;
        _legacyEnded?.TrySetResult();
        Task left = Successors?.StopAsync() ?? Task.CompletedTask;
        if (drain)
        {
            await CompletesAsync(left, options.DrainTimeout); // While one holds the app for its place, that has no last checkpoint.
        }

        if (Session is not { } session)
        {
            return;
        }

        Task gone = _sessionEnded.WaitAsync();
        if (!drain || !session.Converses || !await LeavesAsync(session, gone))
        {
            session.End();
            services.Guard.Abandon();
            await gone;
        }
    }

    private async ValueTask<bool> LeavesAsync(AppSession session, Task gone)
    {
        await session.Departure.DrainAsync("the coordinator stops");
        return await CompletesAsync(gone, options.DrainTimeout);
    }

    private TaskCompletionSource? _legacyEnded;

    private async Task RunAsync(AppSession session, Func<ValueTask> greet)
    {
        Session = session;
        _sessions++;
        AttachedChanged?.Invoke(true);
        try
        {
            await greet();
            await session.RunAsync();
        }
        catch (IOException error) when (Breakage.OfConnection(error))
        {
            // It was gone before it was greeted.
        }
        catch (Exception error) when (error is not (OperationCanceledException or OutOfMemoryException))
        {
            Fails = true;
            throw;
        }
        finally
        {
            await EndAsync(session);
        }
    }

    private async ValueTask EndAsync(AppSession session)
    {
        session.End(); // Also one that was not greeted: nobody is to follow it.
        session.Questions.End();
        try
        {
            await JudgeAsync(session);
        }
        finally
        {
            // Also when the log cannot be read any more: the stop waits for this.
            Session = null;
            Introduction = null;
            services.Cache.Clear();
            _sessionEnded.Pulse();
            if (!_handsOver && Successors is not { Commits: true })
            {
                AttachedChanged?.Invoke(false);
            }
        }
    }

    private async ValueTask JudgeAsync(AppSession session)
    {
        try
        {
            await services.Guard.EndedAsync(session, Introduction);
        }
        catch (OperationCanceledException)
        {
            // The log has ended; nothing can be decided any more.
        }
    }

    private async ValueTask<BindingHello?> ReadHelloAsync(IConnection connection)
    {
        using var deadline = new CancellationTokenSource(HelloTime, Identity.Time);
        try
        {
            while (true)
            {
                ReadResult result = await connection.Input.ReadAsync(deadline.Token);
                if (AppMessage.TryRead(result.Buffer, FrameLimits.HandshakeString * 8, out AppMessage message))
                {
                    if (message.Type != BindingMessageType.Hello)
                    {
                        throw new ProtocolException($"{message.Type} before Hello", 0);
                    }

                    BindingHello hello = BindingHello.Read(message.ToArray());
                    connection.Input.AdvanceTo(message.Data.End);
                    return hello;
                }

                connection.Input.AdvanceTo(result.Buffer.Start, result.Buffer.End);
                if (result.IsCompleted)
                {
                    return null;
                }
            }
        }
        catch (ProtocolException error)
        {
            CoreLog.AppRefused(services.Logger, ProcessErrors.AppHandshakeBroken.Id, error.Message);
            await Version2Framing.SendAsync(connection.Output, BindingMessageType.Refused,
                new BindingRefused(ProcessErrors.AppHandshakeBroken, error.Message).Write);
            return null;
        }
        catch (OperationCanceledException)
        {
            CoreLog.AppRefused(services.Logger, ProcessErrors.AppHandshakeBroken.Id, $"no Hello within {HelloTime.TotalSeconds:F0} s");
            return null;
        }
    }

    private BindingRefused? Objection(BindingHello hello)
    {
        if (hello.MinVersion > BindingHello.CurrentVersion || hello.MaxVersion < BindingHello.CurrentVersion)
        {
            return new BindingRefused(
                ProcessErrors.AppProtocolVersion,
                $"the app speaks versions {hello.MinVersion} to {hello.MaxVersion} of the binding protocol, this coordinator "
                    + $"{BindingHello.CurrentVersion}: give both the same version of Ambrosia");
        }

        if (hello.Instance.Length > 0 && hello.Instance != Identity.Instance)
        {
            return new BindingRefused(ProcessErrors.AppOfOtherInstance,
                $"the app is '{hello.Instance}', this coordinator serves '{Identity.Instance}'");
        }

        return CryptographicOperations.FixedTimeEquals(Encoding.UTF8.GetBytes(hello.Token), Encoding.UTF8.GetBytes(token))
            ? null
            : new BindingRefused(ProcessErrors.AppTokenWrong, "the app's token is not the coordinator's");
    }

    // Its predecessor is gone and judged, and no decision about a message is just being logged, which this app would have to know. An app
    // of the published protocol introduces itself by no hello.
    private async ValueTask<BindingRefused?> WaitUntilServedAsync(BindingHello? hello)
    {
        while (true)
        {
            if ((await WaitForPredecessorAsync() ?? (hello is null ? null : await services.Guard.ObjectionAsync(hello))) is { } objection)
            {
                return objection;
            }

            if (_stopped || (!Occupied && services.Guard.Decision is null))
            {
                return null;
            }

            await (services.Guard.Decision ?? Task.CompletedTask);
        }
    }

    private async ValueTask<BindingRefused?> WaitForPredecessorAsync()
    {
        bool isLate = Occupied && !await CompletesAsync(_sessionEnded.WaitAsync(), s_predecessorTime);
        return !Occupied || _stopped ? null : new BindingRefused(
            ProcessErrors.AppSlotTaken,
            Session is null ? "an app of a new version is just taking the place; try again"
            : isLate ? "another app is attached; end it first" : "another app was faster");
    }

    private bool Occupied => Session is not null || _handsOver || Successors is { Converts: true };

    private async ValueTask<bool> CompletesAsync(Task awaited, TimeSpan within)
    {
        using var deadline = new CancellationTokenSource(within, Identity.Time);
        try
        {
            await FirstOf.OrCancelAsync(awaited, deadline.Token);
            return true;
        }
        catch (OperationCanceledException)
        {
            return false;
        }
    }

    private int CommitterId() => BitConverter.ToInt32(Identity.InstanceId.ToByteArray(), 0) & int.MaxValue;
}
