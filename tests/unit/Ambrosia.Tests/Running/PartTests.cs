using System.Diagnostics;
using Ambrosia.Cli.Commands;
using Ambrosia.Cli.Output;
using Ambrosia.Cli.Running;

namespace Ambrosia.Cli.Tests.Running;

/// <summary>One process that <c>ambrosia run</c> starts, watches and starts again.</summary>
public sealed class PartTests : IDisposable
{
    private static readonly TimeSpan s_patience = Patience.Time;
    private readonly string _folder = Directory.CreateTempSubdirectory("part").FullName;
    private readonly CancellationTokenSource _stop = new();
    private readonly StringWriter _written = new();
    private readonly Terminal _terminal;
    private int _ends;

    public PartTests() => _terminal = new Terminal(TextWriter.Synchronized(_written), TextWriter.Null, TextReader.Null, isTerminal: false);

    public void Dispose()
    {
        _stop.Dispose();
        Directory.Delete(_folder, recursive: true);
    }

    [Fact]
    public async Task A_program_that_has_ended_is_started_again_though_what_it_left_behind_holds_its_output_open()
    {
        string pid = Path.Combine(_folder, "pid");
        using Part part = PartOf(() => Shell($"sleep 600 & echo $! > {pid}; echo said; exit 3"), ends: 1);
        try
        {
            Assert.Equal(3, await part.RunAsync(_stop.Token).WaitAsync(s_patience));
        }
        finally
        {
            Process.GetProcessById(int.Parse(await File.ReadAllTextAsync(pid), System.Globalization.CultureInfo.InvariantCulture)).Kill();
        }

        Assert.Contains("app | said", Lines());
    }

    [Fact]
    public async Task A_program_that_cannot_be_started_at_all_is_a_mistake()
    {
        using Part part = PartOf(() => Described("/nowhere/at-all"), ends: 1);
        CommandException mistake = await Assert.ThrowsAsync<CommandException>(() => part.RunAsync(_stop.Token));
        Assert.StartsWith("/nowhere/at-all cannot be started", mistake.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_program_whose_file_is_away_for_a_moment_is_tried_again()
    {
        string file = Path.Combine(_folder, "app");
        int started = 0;
        using Part part = PartOf(
            () =>
            {
                if (++started is 1 or 3)
                {
                    File.Copy("/bin/false", file);
                }
                else
                {
                    File.Delete(file); // As a build does, before it writes the new one.
                }

                return Described(file);
            },
            ends: 2);
        Assert.Equal(1, await part.RunAsync(_stop.Token).WaitAsync(s_patience));
        Assert.Equal((3, 2), (started, part.Restarts));
        Assert.Contains(Lines(), static line => line.StartsWith("app cannot be started", StringComparison.Ordinal));
    }

    [Fact] // A full disk below a file that the output is written to.
    public async Task Where_nothing_can_be_written_programs_go_on()
    {
        var full = new Terminal(new FullDisk(), TextWriter.Null, TextReader.Null, isTerminal: false);
        using var part = new Part(
            "app", static () => Shell("head -c 300000 /dev/zero | tr '\\0' '\\n'; exit 3"), _ => ++_ends < 2, full.Lossy(),
            TimeProvider.System);
        Assert.Equal(3, await part.RunAsync(_stop.Token).WaitAsync(s_patience));
        Assert.Equal(1, part.Restarts);
        Assert.Throws<IOException>(() => full.Line("a result")); // Of other verbs nothing is lost without a word.
    }

    [Fact]
    public async Task What_is_asked_to_end_before_it_runs_is_not_started()
    {
        await _stop.CancelAsync();
        using Part part = PartOf(() => throw new InvalidOperationException("it was started"), ends: 1);
        Assert.Equal(0, await part.RunAsync(_stop.Token));
    }

    [Fact]
    public async Task What_is_asked_to_end_while_it_is_started_is_asked_then()
    {
        Part? asked = null;
        using Part part = PartOf(
            () =>
            {
                asked!.Terminate();
                return Shell("exec sleep 600");
            },
            ends: 1);
        asked = part;
        Assert.Equal(128 + 15, await part.RunAsync(_stop.Token).WaitAsync(s_patience));
    }

    private Part PartOf(Func<ProcessStartInfo> describe, int ends) =>
        new("app", describe, _ => ++_ends < ends, _terminal, TimeProvider.System);

    private static ProcessStartInfo Shell(string script) => Described("/bin/sh", "-c", script);

    private static ProcessStartInfo Described(string file, params string[] arguments) =>
        new(file, arguments) { RedirectStandardOutput = true, RedirectStandardError = true, RedirectStandardInput = true };

    private string[] Lines() => _written.ToString().Split('\n');

    private sealed class FullDisk : TextWriter
    {
        public override System.Text.Encoding Encoding => System.Text.Encoding.UTF8;

        public override void Write(char value) => throw new IOException("No space left on device");
    }
}
