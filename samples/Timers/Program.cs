using Ambrosia;
using Ambrosia.Samples;
using Timers;

if (args is ["reminders", ..])
{
    SampleChild.EndWithParent();
    return await Immortal.RunAsync<Reminders>(args[1..]);
}

return await SampleRun.RunAsync("timers", static run => new Demo(run).RunAsync());
