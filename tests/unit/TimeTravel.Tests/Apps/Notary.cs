using Ambrosia.TimeTravel.Tests.Support;

namespace Ambrosia.TimeTravel.Tests.Apps;

/// <summary>The addresses that it has given away are state, so a replay that named awakeables otherwise would end in another one.</summary>
public sealed class Notary : NotaryBase
{
    private readonly List<DurableTask> _waits = [];

    public List<string> Urls { get; } = [];

    public List<string> Said { get; } = [];

    public override DurableTask<string> Ask(string what)
    {
        Awakeable<Testimony> question = Awakeable<Testimony>(TimeSpan.FromDays(1));
        Urls.Add(question.Url);
        _waits.Add(WaitAsync(what, question));
        TakeCheckpoint();
        return question.Url;
    }

    protected override void BecomingPrimary(ImmortalContext context) => NotaryLog.Opened(context, This);

    private async DurableTask WaitAsync(string what, Awakeable<Testimony> question)
    {
        try
        {
            Testimony said = await question;
            Said.Add($"{what}: {said.Text} {said.Weight}");
        }
        catch (AwakeableRejectedException rejected)
        {
            Said.Add($"{what}: {rejected.Message}");
        }
    }
}
