namespace Ambrosia.InProcess.Tests.Outside;

public sealed class Clerk : ClerkBase
{
    private readonly List<string> _outcomes = [];
    private readonly List<DurableTask> _waits = [];
    private readonly Dictionary<string, Awakeable<Decision>> _open = [];

    public override DurableTask<string> Ask(string name, int seconds)
    {
        Awakeable<Decision> question = Awakeable<Decision>(seconds == 0 ? null : TimeSpan.FromSeconds(seconds));
        _open[name] = question;
        _waits.Add(WaitAsync(name, question));
        return question.Url;
    }

    public override DurableTask<string> Count(string name)
    {
        Awakeable<int?> question = this.Awakeable<int?>();
        _waits.Add(CountAsync(name, question));
        return question.Url;
    }

    public override DurableTask<string> Find(string name)
    {
        Awakeable<Place?> question = Awakeable<Place?>();
        _waits.Add(FindAsync(name, question));
        return question.Url;
    }

    public override DurableTask<bool> Withdraw(string name) => _open[name].Close();

    public override DurableTask<string[]> Outcomes() => _outcomes.ToArray();

    private async DurableTask WaitAsync(string name, Awakeable<Decision> question)
    {
        try
        {
            Decision decision = await question;
            _outcomes.Add($"{name}: {decision.Approved} {decision.Limit} {decision.Colour} {decision.Note} {question.IsOpen}");
        }
        catch (Exception error) when (error is AwakeableRejectedException or AwakeableExpiredException or OperationCanceledException)
        {
            _outcomes.Add($"{name}: {error.GetType().Name} {error.Message}");
        }
    }

    private async DurableTask FindAsync(string name, Awakeable<Place?> question) =>
        _outcomes.Add($"{name}: {(await question)?.Street ?? "nowhere"}");

    private async DurableTask CountAsync(string name, Awakeable<int?> question) => _outcomes.Add($"{name}: {await question}");
}
