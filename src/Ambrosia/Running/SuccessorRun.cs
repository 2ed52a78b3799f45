using System.Globalization;
using System.Runtime.InteropServices;
using Ambrosia.Cli.Commands;
using Ambrosia.Cli.Output;
using Ambrosia.Coordinator.Operations;
using Ambrosia.Coordinator.Upgrades;

namespace Ambrosia.Cli.Running;

/// <summary>A new app on its way into another one's place, and afterwards in this terminal.</summary>
internal sealed class SuccessorRun(SuccessorLaunch launch, AdminClient admin, UpgradeStatus before, bool json, Terminal terminal,
    TimeProvider time)
{
    private const string Committed = "committed";
    private const string Done = "done";
    private static readonly TimeSpan s_notice = TimeSpan.FromSeconds(2);
    private static readonly TimeSpan s_look = TimeSpan.FromMilliseconds(50);
    private volatile bool _hasPlace;

    /// <summary>Runs until the upgrade has failed, or the new app is done, or the person at the terminal stops it.</summary>
    /// <returns>The app's exit code.</returns>
    public async Task<int> RunAsync(CancellationToken cancellationToken)
    {
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        using var app = new Part(
            "app", () => launch.Describe(upgrade: !_hasPlace), code => _hasPlace && Pair.MayStartAgain(code), terminal, time);
        using PosixSignalRegistration interrupt = PosixSignalRegistration.Create(PosixSignal.SIGINT, OnSignal);
        using PosixSignalRegistration terminate = PosixSignalRegistration.Create(PosixSignal.SIGTERM, OnSignal);
        Task<int> running = app.RunAsync(stop.Token);
        try
        {
            await WatchAsync(running, stop.Token);
            return await EndAsync(app, running, stop.Token);
        }
        finally
        {
            app.Kill();
        }

        void OnSignal(PosixSignalContext signal)
        {
            signal.Cancel = true;
            if (stop.IsCancellationRequested)
            {
                app.Kill();
            }

            stop.Cancel();
            app.Terminate();
        }
    }

    private async Task WatchAsync(Task<int> running, CancellationToken stop)
    {
        while (!running.IsCompleted && !stop.IsCancellationRequested)
        {
            if (await LookAsync() is { State: Done } done && _hasPlace)
            {
                Say(done);
                return;
            }

            await Task.WhenAny(running, Task.Delay(s_look, time, CancellationToken.None));
        }
    }

    /// <summary>How far it has come; null if nobody says.</summary>
    private async Task<UpgradeStatus?> LookAsync()
    {
        UpgradeStatus? told = (await admin.TryStatusAsync(CancellationToken.None))?.Upgrade;
        _hasPlace |= told is { State: Committed or Done } && told != before; // It dies as the only one from here on.
        return told;
    }

    /// <summary>What has become of it, when the new app has ended; null if nobody says.</summary>
    private async Task<bool?> HasPlaceAsync()
    {
        long ended = time.GetTimestamp();
        UpgradeStatus? told = await LookAsync();
        while (told is { State: "following" or "converting" } && told != before && time.GetElapsedTime(ended) < s_notice)
        {
            await Task.Delay(s_look, time, CancellationToken.None);
            told = await LookAsync();
        }

        return _hasPlace ? true : told is { State: "failed" } || told == before ? false : null;
    }

    private void Say(UpgradeStatus upgrade)
    {
        if (json)
        {
            terminal.JsonLine(upgrade);
        }
        else
        {
            terminal.Line(string.Create(
                CultureInfo.InvariantCulture,
                $"{launch.Instance}: {upgrade.From} became {upgrade.To} after record {upgrade.Lsn}; {upgrade.SilenceMilliseconds:0} ms of "
                + $"silence. The new app runs here; Ctrl+C stops it"));
        }
    }

    private async Task<int> EndAsync(Part app, Task<int> running, CancellationToken stop)
    {
        try
        {
            int code = await running.WaitAsync(stop);
            if (!_hasPlace)
            {
                terminal.Error(await HasPlaceAsync() switch
                {
                    true => $"{launch.Instance} was upgraded, and then the new app ended with code {code}: start it again",
                    false => $"{launch.Instance} was not upgraded: the new app ended with code {code}. The old version goes on",
                    _ => $"The new app ended with code {code}, and the coordinator does not say whether {launch.Instance} was upgraded: "
                        + $"see 'ambrosia status {launch.Instance}', and start it again by itself if it has the place",
                });
            }

            return code;
        }
        catch (OperationCanceledException)
        {
            try
            {
                return await running.WaitAsync(Part.StopPatience, time, CancellationToken.None);
            }
            catch (TimeoutException)
            {
                app.Kill();
                return await running;
            }
        }
    }
}
