using Ambrosia.Runtime;
using Ambrosia.Serialization;

namespace Ambrosia.CSharpBinding.Tests.Awakeables;

/// <summary>Opens awakeables, and notes what they bring.</summary>
internal sealed class Asker : Immortal
{
    private static readonly ImmortalContract s_contract = new("Tests.IAsker", "hash",
        [new(1, "Ask", "void Ask()", false), new(2, "AskForLong", "void AskForLong()", false), new(3, "Withdraw", "void Withdraw()", false),
            new(4, "AskOdd", "void AskOdd()", false)]);

    /// <summary>What came.</summary>
    public List<string> Came { get; } = [];

    /// <summary>Names of those that were opened.</summary>
    public List<string> Urls { get; } = [];

    private Awakeable<string>? _last;

    protected override ImmortalContract Contract => s_contract;

    protected override void Dispatch(ref IncomingCall call)
    {
        switch (call.MethodId)
        {
            case 1: call.Complete(Ask(null)); break;
            case 2: call.Complete(Ask(TimeSpan.FromHours(1))); break;
            case 3: call.Complete(Withdraw()); break;
            case 4: call.Complete(AskOdd()); break;
            default: call.UnknownMethod(); break;
        }
    }

    private DurableTask Withdraw()
    {
        Came.Add($"{_last!.IsOpen} {_last.Close()} {_last.IsOpen} {_last.Close()}");
        return default;
    }

    private async DurableTask AskOdd()
    {
        await Awakeable<Odd>();
        Came.Add("odd");
    }

    private async DurableTask Ask(TimeSpan? deadline)
    {
        _last = Awakeable<string>(deadline);
        Urls.Add(_last.Url);
        try
        {
            Came.Add(await _last);
        }
        catch (Exception error) when (error is AwakeableRejectedException or AwakeableExpiredException or OperationCanceledException)
        {
            Came.Add(error.GetType().Name + " " + error.Message);
        }
    }
}
