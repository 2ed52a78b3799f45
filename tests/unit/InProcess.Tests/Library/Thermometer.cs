using Microsoft.Extensions.DependencyInjection;

namespace Ambrosia.InProcess.Tests.Library;

public sealed class Thermometer : ThermometerBase
{
    private readonly List<int> _tenths = [];

    public IReadOnlyList<int> Tenths => _tenths;

    public override DurableTask<int> Measured(Temperature temperature)
    {
        _tenths.Add(temperature.ToTenths());
        return _tenths.Count;
    }

    protected override void BecomingPrimary(ImmortalContext context) =>
        context.Services?.GetService<TaskCompletionSource<ThermometerProxy>>()?.TrySetResult(This);
}
