using System.Runtime.InteropServices;
using Microsoft.Extensions.Logging;

namespace Ambrosia.Hosting;

/// <summary>What <see cref="Immortal.RunAsync{T}"/> does around the host: options, signals, one calm line for each way to end.</summary>
internal sealed class ImmortalRunner(TextWriter output, TextWriter error, ILogger logger)
{
    private static readonly TimeSpan s_sameWish = TimeSpan.FromMilliseconds(500); // Some senders deliver one wish twice in a row.

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
        try
        {
            return File.Exists(path) ? File.ReadAllText(path) : null;
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            throw new OptionException($"appsettings.json cannot be read: {error.Message}");
        }
    }

    private async Task<AppExitCode> RunAsync(Func<Immortal> create, ImmortalOptions options)
    {
        long first = 0;
        using var stop = new CancellationTokenSource();
        using PosixSignalRegistration interrupt = PosixSignalRegistration.Create(PosixSignal.SIGINT, OnSignal);
        using PosixSignalRegistration terminate = PosixSignalRegistration.Create(PosixSignal.SIGTERM, OnSignal);
        try
        {
            var host = new ImmortalHost(create, options, logger);
            await host.RunAsync(stop.Token);
            return host.WasReplaced ? AppExitCode.Replaced : AppExitCode.Stopped;
        }
        catch (Exception failure) when (AppFailure.CodeOf(failure) is { } code)
        {
            BindingLog.Ended(logger, failure);
            await error.WriteLineAsync($"{options.InstanceName}: {AppFailure.TextOf(failure)}");
            return code;
        }

        void OnSignal(PosixSignalContext signal)
        {
            // The turn ends, a checkpoint is taken, then the process ends. One more wish, later, ends it at once, which the log makes safe.
            long earlier = Interlocked.CompareExchange(ref first, TimeProvider.System.GetTimestamp(), 0);
            signal.Cancel = earlier == 0 || TimeProvider.System.GetElapsedTime(earlier) < s_sameWish;
            stop.Cancel();
        }
    }

    private async Task WriteAsync(IEnumerable<string> lines)
    {
        foreach (string line in lines)
        {
            await output.WriteLineAsync(line);
        }
    }
}
