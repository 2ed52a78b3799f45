using System.CommandLine;
using System.Globalization;
using Ambrosia.Cli.Applications;
using Ambrosia.Cli.Commands;
using Ambrosia.Cli.Output;
using Ambrosia.Coordinator.Operations;

namespace Ambrosia.Cli.Running;

/// <summary>Runs what a file describes: a coordinator and an app for each immortal, and the programs beside them.</summary>
internal sealed class ApplicationRun(
    Application application, ParseResult parsed, Places places, Launches launches, Terminal terminal, TimeProvider time)
{
    private static readonly TimeSpan s_look = TimeSpan.FromMilliseconds(100);
    private readonly List<Row> _rows = [];

    private sealed record Row(string Label, string Name, int? Replica, ICrewMember Member);

    /// <summary>Runs until all have ended.</summary>
    /// <returns>0, or the first exit code that is another.</returns>
    public async Task<int> RunAsync(CancellationToken cancellationToken)
    {
        await FillAsync(cancellationToken);
        using var crew = new Crew(application.Name, [.. _rows.Select(static row => (row.Label, row.Member))], terminal);
        using var signals = new StopSignals(crew.Interrupt);
        terminal.Line($"{application.Name}: {Described()}; Ctrl+C stops all{(terminal.IsInteractive ? ", Enter shows how they are" : "")}");
        using var ended = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        Task<int> running = crew.RunAsync(cancellationToken);
        Task watching = WatchAsync(ended.Token);
        try
        {
            return await running;
        }
        finally
        {
            await ended.CancelAsync();
            await watching;
        }
    }

    private string Described() => string.Join(" and ",
        new[] { (application.Immortals.Count(), "immortal"), (application.Programs.Count(), "program") }
            .Where(static part => part.Item1 > 0).Select(static part => Counted.Of(part.Item1, part.Item2)));

    private async Task FillAsync(CancellationToken cancellationToken)
    {
        if (places.IsAdminGiven(parsed))
        {
            throw new CommandException(CommandExit.Usage, "--admin (AMBROSIA_ADMIN) names one address, and each coordinator of a file has "
                + "one of its own. Leave it out: 'ambrosia status' finds them all.");
        }

        var labels = new CrewLabels([.. application.Members.SelectMany(LabelsOf)], terminal);
        foreach (Member member in application.Members)
        {
            string[] names = [.. LabelsOf(member)];
            for (int i = 0; i < names.Length; i++)
            {
                int? replica = member.Replicas > 1 ? i : null;
                _rows.Add(new Row(names[i], member.Name, replica, member.IsImmortal
                    ? await PairOfAsync(member, replica, names[i], labels, cancellationToken)
                    : new LoneProgram(labels.App(names[i]), () => DescriptionOf(member), terminal, time)));
            }
        }
    }

    private async Task<Pair> PairOfAsync(Member member, int? replica, string label, CrewLabels labels, CancellationToken cancellationToken)
    {
        await launches.RequireFreeAsync(parsed, member.Name, replica, cancellationToken);
        Launch launch = launches.Of(parsed, member.Name, replica, replica, [.. member.Program, .. member.Arguments], member.Options);
        launch = launch with { Folder = member.Folder, Environment = member.Environment, AppReads = false, Label = label };
        return new Pair(launch, (labels.Coordinator(label), labels.App(label)), terminal, time);
    }

    private static System.Diagnostics.ProcessStartInfo DescriptionOf(Member member) =>
        Launch.DescribeProgram([.. member.Program, .. member.Arguments], member.Folder, member.Environment, reads: false);

    private static IEnumerable<string> LabelsOf(Member member) => member.Replicas == 1 ? [member.Name]
        : Enumerable.Range(0, member.Replicas).Select(number => string.Create(CultureInfo.InvariantCulture, $"{member.Name}.{number}"));

    /// <summary>Shows how all are once all are ready, and whenever a person asks.</summary>
    private async Task WatchAsync(CancellationToken ended)
    {
        long started = time.GetTimestamp();
        bool ready = !application.Immortals.Any();
        Task<string?>? typed = terminal.IsInteractive ? TypedAsync() : null;
        try
        {
            while (true)
            {
                await Task.Delay(s_look, time, ended);
                if (!ready && (ready = (await LookAsync(ended)).All(static look => look is null or { Ready: true })))
                {
                    terminal.Line(string.Create(CultureInfo.InvariantCulture,
                        $"{application.Name}: all immortals are ready after {time.GetElapsedTime(started).TotalSeconds:0.0} s"));
                    Show(await LookAsync(ended));
                }

                if (typed is { IsCompleted: true })
                {
                    typed = await typed is null ? null : TypedAsync(); // Null: nothing is ever typed again.
                    Show(await LookAsync(ended));
                }
            }
        }
        catch (OperationCanceledException)
        {
            // All have ended.
        }
    }

    // On a thread of its own, which may wait for ever: the console's asynchronous methods block, too.
    private Task<string?> TypedAsync() => Task.Factory.StartNew(
        terminal.Input.ReadLine, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);

    // Null for what is no immortal.
    private Task<CoordinatorStatus?[]> LookAsync(CancellationToken ended) => Task.WhenAll(_rows.Select(async row =>
        row.Member is Pair ? await StatusOfAsync(row, ended) : null));

    private async Task<CoordinatorStatus> StatusOfAsync(Row row, CancellationToken ended)
    {
        using AdminClient admin = places.ConnectToOwn(parsed, row.Name, row.Replica);
        CoordinatorStatus? status = null;
        try
        {
            status = await admin.TryStatusAsync(ended);
        }
        catch (TokenRefusedException)
        {
            // It has not written its token yet, or another has its address.
        }

        return status?.Instance == row.Name ? status : new CoordinatorStatus { Instance = row.Name, Role = "no answer" };
    }

    private void Show(IReadOnlyList<CoordinatorStatus?> looks) => terminal.Table(
        ["NAME", "ROLE", "READY", "DURABLE", "APP", "CHECKPOINT", "RESTARTS"],
        [.. _rows.Zip(looks, static (row, look) => CellsOf(row, look))]);

    private static string[] CellsOf(Row row, CoordinatorStatus? look)
    {
        string restarts = Text((ulong)row.Member.Restarts);
        return look is null ? [row.Label, "program", "-", "-", "-", "-", restarts]
            : look.Epoch == 0 ? [row.Label, look.Role, "no", "-", "-", "-", restarts]
            :
            [
                row.Label, look.Role, look.Ready ? "yes" : $"no: {look.NotReadyReason}", Text(look.Log.DurableLsn), Text(look.App.Lsn),
                Text(look.Checkpoints.NewestLsn), restarts,
            ];
    }

    private static string Text(ulong number) => number.ToString(CultureInfo.InvariantCulture);
}
