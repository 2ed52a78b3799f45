using Ambrosia;
using Ambrosia.Samples;
using Vouchers;

// Without a role: a day in the shop, and the search for what went wrong in it. With --keep FOLDER the log stays there, to be searched by
// hand.
string[] rest = Edition.Choose(args);
if (rest is ["vouchers", ..])
{
    if (Environment.GetEnvironmentVariable("AMBROSIA_SOCKET") is null)
    {
        SampleChild.EndWithParent();
    }

    return await Immortal.RunAsync<Counter>(rest[1..]);
}

string? keep = rest is ["--keep", var folder] ? Path.GetFullPath(folder) : null;
return await SampleRun.RunAsync("vouchers", run => new Demo(run, keep).RunAsync());
