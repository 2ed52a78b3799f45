using System.Text.Json;
using Ambrosia.CoordinatorHost.Page;
using Ambrosia.Inspection.Text;
using Ambrosia.Protocol;
using Ambrosia.TimeTravel;
using Ambrosia.TimeTravel.Debugging;
using Ambrosia.TimeTravel.Text;

namespace Ambrosia.Cli.History;

/// <summary>The debugger's replay, as the page moves it.</summary>
internal sealed class WebSession(TimeTraveler traveler, DebugCommands commands, MethodNames names) : IPageSession, IDisposable
{
    // After more messages of one record than this, it is not counted what those before sent: a step costs a round trip.
    private const int MostSteps = 500;
    private readonly SemaphoreSlim _gate = new(1, 1);

    private volatile string _at = Describe(traveler);

    /// <inheritdoc/>
    public string At => _at;

    /// <inheritdoc/>
    public Task<byte[]> RunAsync(string command, CancellationToken cancellationToken) => AloneAsync(async () =>
    {
        DebugAnswer answer = await commands.RunAsync(command, cancellationToken);
        return PageAnswers.Write(json =>
        {
            json.WriteString("text", answer.Text);
            json.WriteBoolean("failed", answer.Failed);
            json.WriteString("at", Describe(traveler));
        });
    }, cancellationToken);

    /// <inheritdoc/>
    public Task<byte[]> EffectAsync(MessagePosition message, CancellationToken cancellationToken) => AloneAsync(async () =>
    {
        try
        {
            return await ExamineAsync(message, cancellationToken);
        }
        catch (ReplayException error)
        {
            return PageAnswers.Write(json =>
            {
                json.WriteString("text", error.Message);
                json.WriteBoolean("failed", true);
                json.WriteString("at", Describe(traveler));
            });
        }
    }, cancellationToken);

    public void Dispose() => _gate.Dispose();

    // Read by other threads while the replay moves, so it is told between two moves.
    private static string Describe(TimeTraveler traveler) =>
        traveler.At == traveler.Start ? $"checkpoint {traveler.At}" : traveler.At.ToString();

    private async Task<byte[]> AloneAsync(Func<Task<byte[]>> work, CancellationToken cancellationToken)
    {
        await _gate.WaitAsync(cancellationToken);
        try
        {
            return await work();
        }
        finally
        {
            _at = Describe(traveler);
            _gate.Release();
        }
    }

    private async Task<byte[]> ExamineAsync(MessagePosition message, CancellationToken cancellationToken)
    {
        var sent = new Dictionary<string, int>(StringComparer.Ordinal);
        bool counted = message.Index <= MostSteps;
        if (!await traveler.GoToAsync(counted || message.Index == 0 ? Position.After(message.Lsn - 1)
            : new Position(message.Lsn, message.Index - 1), cancellationToken))
        {
            throw new ReplayException($"The log ends before {message}.");
        }

        while (counted && await traveler.PeekAsync() is
            { } earlier && earlier.Position < new Position(message.Lsn, message.Index) && await traveler.StepAsync())
        {
            foreach (SentMessage output in traveler.LastOutputs)
            {
                sent[output.Destination] = sent.GetValueOrDefault(output.Destination) + 1;
            }
        }

        using JsonDocument before = await traveler.StateAsync();
        if (!await traveler.StepAsync())
        {
            throw new ReplayException($"The log ends before {message}.");
        }

        IReadOnlyList<SentMessage> outputs = traveler.LastOutputs;
        using JsonDocument after = await traveler.StateAsync();
        IReadOnlyList<StateDifference> differences = StateDifference.Between(before.RootElement, after.RootElement);
        return PageAnswers.Write(json =>
        {
            json.WriteBoolean("failed", false);
            json.WriteString("at", Describe(traveler));
            WriteOutputs(json, outputs, counted ? sent : null);
            json.WriteStartArray("effects");
            traveler.LastEffects.ToList().ForEach(effect => json.WriteStringValue(MessageText.Line(effect)));
            json.WriteEndArray();
            json.WriteStartArray("faults");
            traveler.LastFaults.ToList().ForEach(fault => json.WriteStringValue(fault.Text));
            json.WriteEndArray();
            WriteDifferences(json, differences);
        });
    }

    private void WriteOutputs(Utf8JsonWriter json, IReadOnlyList<SentMessage> outputs, Dictionary<string, int>? sent)
    {
        json.WriteStartArray("outputs");
        foreach (SentMessage output in outputs)
        {
            json.WriteStartObject();
            json.WriteString("to", output.Destination);
            json.WriteString("kind", output.Kind.Word());
            json.WriteString("method", names.NameOf(output.MethodId));
            json.WriteString("content", CallText.Content(output.Kind, output.MethodId, output.Body.Span, names));
            if (sent is not null)
            {
                // How many this record had sent there before: with the number of the record's first one, the log of the other side can be
                // asked for it.
                int earlier = sent.GetValueOrDefault(output.Destination);
                sent[output.Destination] = earlier + 1;
                json.WriteNumber("offset", earlier);
            }

            json.WriteEndObject();
        }

        json.WriteEndArray();
    }

    private static void WriteDifferences(Utf8JsonWriter json, IReadOnlyList<StateDifference> differences)
    {
        json.WriteStartArray("differences");
        foreach (StateDifference difference in differences)
        {
            json.WriteStartObject();
            json.WriteString("path", difference.Path);
            json.WriteString("before", difference.Before);
            json.WriteString("after", difference.After);
            json.WriteEndObject();
        }

        json.WriteEndArray();
    }
}
