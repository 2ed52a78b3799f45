using Ambrosia;
using Ambrosia.Samples;
using HelloWorld;

// One program, three roles: without a role it starts the other two, as processes of their own.
if (args is ["greeter" or "visitor", ..])
{
    SampleChild.EndWithParent();
    return args[0] == "greeter" ? await Immortal.RunAsync<Greeter>(args[1..]) : await Immortal.RunAsync<Visitor>(args[1..]);
}

return await SampleRun.RunAsync("hello", static run => new Demo(run).RunAsync());
