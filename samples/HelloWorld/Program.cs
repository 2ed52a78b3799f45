using Ambrosia;
using Ambrosia.Samples;
using HelloWorld;

// One program, several roles: without a role it starts greeter and visitor, as processes of their own.
if (args is ["greeter" or "visitor" or "crowd", ..])
{
    // Beside a coordinator that somebody else has started, as in a pod of deploy/k8s, it belongs to nobody.
    if (Environment.GetEnvironmentVariable("AMBROSIA_SOCKET") is null)
    {
        SampleChild.EndWithParent();
    }

    return args[0] switch
    {
        "greeter" => await Immortal.RunAsync<Greeter>(args[1..]),
        "crowd" => await Immortal.RunAsync<Crowd>(args[1..]),
        _ => await Immortal.RunAsync<Visitor>(args[1..]),
    };
}

return await SampleRun.RunAsync("hello", static run => new Demo(run).RunAsync());
