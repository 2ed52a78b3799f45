using Ambrosia;

namespace EndToEnd;

/// <summary>Is there, and waits for people.</summary>
public sealed class Bystander : BystanderBase
{
    private readonly List<string> _answers = [];
    private readonly List<DurableTask> _waits = [];

    public override DurableTask Nothing() => default;

    public override DurableTask<string> Ask(string question)
    {
        Awakeable<PeoplesAnswer> answer = Awakeable<PeoplesAnswer>();
        _waits.Add(WaitAsync(question, answer));
        return answer.Url;
    }

    public override DurableTask<string[]> Answers() => _answers.ToArray();

    private async DurableTask WaitAsync(string question, Awakeable<PeoplesAnswer> awaited)
    {
        PeoplesAnswer answer = await awaited;
        _answers.Add($"{question}: {answer.Yes} {answer.Weight}");
    }
}
