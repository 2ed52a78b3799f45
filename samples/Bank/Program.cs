using Ambrosia;
using Ambrosia.Samples;
using Bank;

// One program, four roles: without one of the three immortals' names it starts them all, each with a coordinator, and kills them as it is
// told.
if (args is ["shard" or "auditor" or "client", ..])
{
    SampleChild.EndWithParent();
    string[] rest = args[1..];
    return args[0] switch
    {
        "shard" => await Immortal.RunAsync<Shard>(rest),
        "auditor" => await Immortal.RunAsync<Auditor>(rest),
        _ => await Immortal.RunAsync<Client>(rest),
    };
}

if (!BankOptions.TryParse(args, out BankOptions options, out string text))
{
    (options.WantsHelp ? Console.Out : Console.Error).WriteLine(text);
    return options.WantsHelp ? 0 : BankOptions.UsageError;
}

return await SampleRun.RunAsync("bank", run => new BankRun(run, options).RunAsync());
