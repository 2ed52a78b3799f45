using Ambrosia;
using Ambrosia.Samples;
using Orders;

// Without a role: the scene of docs/guide/sagas.md. The roles are what it starts.
if (args is ["shop", var payments, ..])
{
    SampleChild.EndWithParent();
    return await Immortal.RunAsync<Shop>(args[2..], options => options.UseEffects<IPayments>(_ => new Payments(payments)));
}

if (args is ["warehouse", ..])
{
    SampleChild.EndWithParent();
    return await Immortal.RunAsync<Warehouse>(args[1..]);
}

return await SampleRun.RunAsync("orders", static run => new Demo(run).RunAsync());
