using Ambrosia.Inspection.Text;
using Ambrosia.TimeTravel;
using Ambrosia.TimeTravel.Comparing;
using Ambrosia.TimeTravel.Log;
using Ambrosia.TimeTravel.Text;
using MessagePack;

namespace Ambrosia.Replay;

/// <summary>A log as a test case: <c>await new RetroactiveLog("logs/bank").Verify&lt;Bank&gt;();</c> It is only read.</summary>
/// <param name="folder">Folder of the log: the one that holds <c>log/</c> and <c>checkpoints/</c>.</param>
public sealed class RetroactiveLog(string folder)
{
    private readonly IFormatterResolver? _resolver;

    private RetroactiveLog(string folder, IFormatterResolver resolver)
        : this(folder) => _resolver = resolver;

    /// <summary>Folder of the log.</summary>
    public string Folder => folder;

    /// <summary>What <see cref="ImmortalOptions.Resolver"/> was for the app whose log it is. Without it: the standard one alone.</summary>
    public RetroactiveLog Resolver(IFormatterResolver resolver)
    {
        ArgumentNullException.ThrowIfNull(resolver);
        return new RetroactiveLog(folder, resolver);
    }

    /// <summary>
    /// Runs the log through the present code and throws unless it does what the log says: as many messages to the same destinations in the
    /// same order, and the same states at its checkpoints.
    /// </summary>
    /// <exception cref="RetroactiveTestException">It does something else; the text is the report.</exception>
    public Task<RetroactiveReport> Verify<T>(RetroactiveOptions? options = null)
        where T : Immortal, new() => VerifyAsync<T>(static () => new T(), null, options);

    /// <summary>The same for an immortal that is made with arguments.</summary>
    /// <exception cref="RetroactiveTestException">It does something else; the text is the report.</exception>
    public Task<RetroactiveReport> Verify<T>(Func<T> create, RetroactiveOptions? options = null)
        where T : Immortal => VerifyAsync<T>(create, null, options);

    /// <summary>
    /// Runs the log through two versions at once and throws unless the new one sends the same messages, byte for byte, and leaves the same
    /// states behind.
    /// </summary>
    /// <exception cref="RetroactiveTestException">It does something else; the text is the report.</exception>
    public Task<RetroactiveReport> Compare<T>(Func<T> newVersion, Func<T> oldVersion, RetroactiveOptions? options = null)
        where T : Immortal => VerifyAsync<T>(newVersion, oldVersion, options);

    /// <inheritdoc/>
    public override string ToString() => folder;

    private async Task<RetroactiveReport> VerifyAsync<T>(Func<Immortal> newVersion, Func<Immortal>? oldVersion, RetroactiveOptions? options)
    {
        await using ReplayLog log = await ReplayLog.OpenFolderAsync(folder, holds: true);
        await using var app = new ObjectApp(newVersion, log.Instance, resolver: _resolver);
        await using ObjectApp? old = oldVersion is null ? null : new ObjectApp(oldVersion, log.Instance, resolver: _resolver);
        var names = new MethodNames();
        names.AddAssemblies(typeof(T).Assembly.Location);
        try
        {
            RetroactiveReport report = await RetroactiveRun.RunAsync(log, app, old, options, names);
            return report.IsSame ? report : throw new RetroactiveTestException(ReportText.People(report, names, ""));
        }
        catch (ReplayException ended)
        {
            throw new RetroactiveTestException(ended.Message);
        }
    }
}
