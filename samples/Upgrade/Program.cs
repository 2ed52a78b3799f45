using Ambrosia;
using Ambrosia.Primitives;
using Ambrosia.Samples;
using Upgrade;

// Without a role: the walk-through of docs/guide/upgrade.md. The roles are what it starts.
if (args is ["door" or "v1" or "v2" or "v2-broken", ..])
{
    SampleChild.EndWithParent();
    string[] options = args[1..];
    return args[0] switch
    {
        "door" => await Immortal.RunAsync<Door>(options),
        "v1" => await Immortal.RunAsync<TicketsV1>(options, static o => o.InstanceName = "tickets"),
        "v2" => await Immortal.RunAsync<TicketsV2>(options, static o =>
            o.UpgradeFrom((TicketsV1 old) => new TicketsV2(old)).InstanceName = "tickets"),
        _ => await Immortal.RunAsync<TicketsV2>(options, static o => o.UpgradeFrom((TicketsV1 old) =>
            old.Prices.Count < 0 ? new TicketsV2(old)
            : throw new InvalidOperationException("this conversion was never tried before")).InstanceName = "tickets"),
    };
}

return await SampleRun.RunAsync("upgrade", static run => new Demo(run).RunAsync());
