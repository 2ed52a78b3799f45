namespace Ambrosia.InProcess.Tests.Library;

public sealed class Weather : WeatherBase
{
    public override DurableTask<Temperature> Warmest(Temperature[] measured) => measured.MaxBy(static t => t.ToTenths());

    public override DurableTask Sound(Tone tone) => DurableTask.CompletedTask;
}
