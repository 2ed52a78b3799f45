namespace Ambrosia.InProcess.Tests.Sagas;

/// <summary>Reserves, charges, packs, and takes it all back.</summary>
public class Desk : DeskBase
{
    public List<string> Seen { get; } = [];

    private StoreProxy Store => Proxy<StoreProxy>("store");

    public override async DurableTask<string> Order(int attempts)
    {
        var saga = new DurableSaga("order 1", attempts);
        try
        {
            await Store.DoAsync("reserve");
            saga.Undo(Store, "release stock").UndoFork("reserve");
            await Effects<TillEffects>().ChargeAsync(5);
            saga.Undo(Effects<TillEffects>()).RefundFork(5);
            await Store.DoAsync("pack");
            saga.Undo(Store).UndoFork("pack");
            await Store.DoAsync("fail");
            return "done";
        }
        catch (InvalidOperationException failure)
        {
            try
            {
                await saga.Compensate();
            }
            catch (CompensationFailedException failed)
            {
                Seen.Add(failed.Message);
                return "by hand";
            }

            Seen.Add($"{failure.Message}, {saga.Count} left");
            return "taken back";
        }
    }

    public override async DurableTask<string> Misuse(string how)
    {
        var saga = new DurableSaga("s");
        try
        {
            switch (how)
            {
                case "nothing":
                    await saga.Compensate();
                    return "nothing to do";
                case "again":
                    saga.Undo(Store).UndoFork("a");
                    await DurableTask.WhenAll(saga.Compensate(), saga.Compensate());
                    return "once";
                case "late":
                    saga.Undo(Store).UndoFork("a");
                    _ = saga.Compensate();
                    saga.Undo(Store).UndoFork("b");
                    break;
                case "awaited":
                    await saga.Undo(Store).UndoAsync("a");
                    break;
                case "awaited effect":
                    await saga.Undo(Effects<TillEffects>()).RefundAsync(1);
                    break;
                case "twice":
                    TillEffects twice = saga.Undo(Effects<TillEffects>());
                    twice.RefundFork(1);
                    twice.RefundFork(1);
                    break;
                case "later":
                    StoreProxy later = saga.Undo(Store);
                    await Delay(TimeSpan.FromMinutes(1));
                    later.UndoFork("a");
                    break;
                case "later effect":
                    TillEffects refund = saga.Undo(Effects<TillEffects>());
                    await Delay(TimeSpan.FromMinutes(1));
                    refund.RefundFork(1);
                    break;
                case "later effect awaited":
                    TillEffects awaited = saga.Undo(Effects<TillEffects>());
                    await Delay(TimeSpan.FromMinutes(1));
                    await awaited.RefundAsync(1);
                    break;
                case "name":
                    _ = new DurableSaga(" ");
                    break;
                case "attempts":
                    _ = new DurableSaga("s", -1);
                    break;
            }

            return "";
        }
        catch (Exception error) when (error is InvalidOperationException or ArgumentException)
        {
            return $"{error.GetType().Name}: {error.Message}";
        }
    }
}
