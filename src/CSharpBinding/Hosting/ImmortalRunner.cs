using System.Runtime.InteropServices;
using Ambrosia.Protocol;
using Microsoft.Extensions.Logging;

namespace Ambrosia.Hosting;

/// <summary>What <see cref="Immortal.RunAsync{T}"/> does around the host: options, signals, one calm line for each way to end.</summary>
internal sealed class ImmortalRunner(TextWriter output, TextWriter error, ILogger logger)
{
    /// <summary>Runs until a signal, the coordinator or a failure ends it.</summary>
    public async Task<AppExitCode> RunAsync(Func<Immortal> create, ImmortalOptions options, IReadOnlyList<string> args)
    {
        try
        {
            var reader = new OptionReader(options, Environment.GetEnvironmentVariable);
            reader.Read(args, ReadSettings());
            if (reader.WantsHelp || reader.WantsConfig)
            {
                string app = Path.GetFileNameWithoutExtension(Environment.ProcessPath) ?? "app";
                await WriteAsync(reader.WantsHelp ? OptionReader.Help(app) : reader.Describe());
                return AppExitCode.Stopped;
            }

            foreach (string hint in reader.Hints)
            {
                await error.WriteLineAsync($"{options.InstanceName}: {hint}");
            }

            return await RunAsync(create, options);
        }
        catch (OptionException wrong)
        {
            await error.WriteLineAsync(wrong.Message);
            return AppExitCode.Usage;
        }
    }

    private static string? ReadSettings()
    {
        string path = Path.Combine(AppContext.BaseDirectory, "appsettings.json");
        return File.Exists(path) ? File.ReadAllText(path) : null;
    }

    private async Task<AppExitCode> RunAsync(Func<Immortal> create, ImmortalOptions options)
    {
        using var stop = new CancellationTokenSource();
        using PosixSignalRegistration interrupt = PosixSignalRegistration.Create(PosixSignal.SIGINT, OnSignal);
        using PosixSignalRegistration terminate = PosixSignalRegistration.Create(PosixSignal.SIGTERM, OnSignal);
        try
        {
            var host = new ImmortalHost(create, options, logger);
            await host.RunAsync(stop.Token);
            return host.WasReplaced ? AppExitCode.Replaced : AppExitCode.Stopped;
        }
        catch (Exception failure) when (CodeOf(failure) is { } code)
        {
            BindingLog.Ended(logger, failure);
            string advice = code == AppExitCode.CoordinatorLost ? "\nNothing that was logged is lost: start the app again." : "";
            await error.WriteLineAsync($"{options.InstanceName}: {failure.Message}{advice}");
            return code;
        }

        void OnSignal(PosixSignalContext signal)
        {
            signal.Cancel = true; // The turn ends, the coordinator is told, then the process ends.
            stop.Cancel();
        }
    }

    private static AppExitCode? CodeOf(Exception failure) => failure switch
    {
        LinkClosedException => AppExitCode.CoordinatorLost,
        UpgradeFailedException => AppExitCode.UpgradeFailed,
        BuildRefusedException or CannotResumeException or EffectDivergedException => AppExitCode.BuildRefused,
        CoordinatorUnavailableException or BindingRefusedException => AppExitCode.Unavailable,
        HandlerFaultException or StateChangedByQueryException or ProtocolException or CheckpointException or CannotSaveException or PlatformNotSupportedException => AppExitCode.Failed,
        _ => null,
    };

    private async Task WriteAsync(IEnumerable<string> lines)
    {
        foreach (string line in lines)
        {
            await output.WriteLineAsync(line);
        }
    }
}
