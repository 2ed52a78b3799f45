namespace Ambrosia.InProcess.Tests.Outside;

public sealed class Parrot : ParrotBase
{
    private long _count;

    public override DurableTask<Everything> Say(Everything all) => all;

    public override DurableTask<long> Count(long by, Colour colour, Guid id, string? note)
    {
        if (by > 100)
        {
            throw new TooLoudException(by);
        }

        _count += by + (colour == Colour.Blue && id == Guid.Empty && note is null ? 0 : 1000);
        return _count;
    }

    public override async DurableTask<decimal> Later(decimal price)
    {
        await Delay(TimeSpan.FromMilliseconds(20));
        return price * 2;
    }

    public override DurableTask Forget()
    {
        _count = 0;
        return default;
    }
}
