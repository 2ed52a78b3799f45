using Ambrosia;

namespace TypeScriptClient;

public sealed class Shop : ShopBase
{
    private readonly Dictionary<string, int> _executed = [];
    private readonly Dictionary<string, string> _answers = [];
    private readonly Dictionary<string, DurableTask> _questions = [];
    private long _total;

    public override DurableTask<long> Add(string name, long amount)
    {
        _executed[name] = _executed.GetValueOrDefault(name) + 1;
        _total += amount;
        return _total;
    }

    public override DurableTask<Tally> Count() => new Tally(
        _executed.Values.Sum(), _total,
        [.. _executed.Where(static each => each.Value > 1).Select(static each => each.Key).Order(StringComparer.Ordinal)]);

    public override DurableTask<Parcel> Echo(Parcel parcel) => parcel;

    public override DurableTask Fail(int room) => throw new NoRoomException(room);

    public override DurableTask<string> Ask(string question)
    {
        Awakeable<long> answer = Awakeable<long>(TimeSpan.FromDays(1));
        _questions[question] = WaitAsync(question, answer);
        return answer.Url;
    }

    public override DurableTask<string> AnswerOf(string question) => _answers.GetValueOrDefault(question, "");

    public override DurableTask<string> Mark(string text) => $"text {text}";

    public override DurableTask<long> Mark(long number) => number;

    public override DurableTask<bool> Then(bool @default) => @default;

    public override DurableTask Delete() => default;

    private async DurableTask WaitAsync(string question, Awakeable<long> answer)
    {
        try
        {
            _answers[question] = $"{await answer}";
        }
        catch (AwakeableRejectedException rejected)
        {
            _answers[question] = $"rejected: {rejected.Message}";
        }
    }
}
